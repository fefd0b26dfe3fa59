/**
 * Entry of the broker, a SharedWorker: makes a channel between a tab and the owner's worker, one end to each.
 * It holds nothing but the trunk of each collection's newest owner; when it dies, tabs fall back to the relay.
 */
import type { FromBroker, ToBroker, ToHost } from "./words.js";

const trunks = new Map<string, { readonly port: MessagePort; readonly epoch: number }>();

function hear(tab: MessagePort, message: ToBroker, port: MessagePort | undefined): void {
  const answer = (word: FromBroker, ports: MessagePort[] = []): void => tab.postMessage(word, ports);
  const trunk = trunks.get(message.name);
  if (message.say === "trunk") {
    if (port && message.epoch >= (trunk?.epoch ?? 0)) trunks.set(message.name, { port, epoch: message.epoch });
    answer({ say: "held", epoch: message.epoch });
  } else if (trunk?.epoch === message.epoch) {
    const { port1, port2 } = new MessageChannel();
    trunk.port.postMessage({ tabs: "link", tab: message.tab } satisfies ToHost, [port2]);
    answer({ say: "link", ask: message.ask }, [port1]);
  } else {
    answer({ say: "link", ask: message.ask });
  }
}

(self as unknown as SharedWorkerGlobalScope).onconnect = (event: MessageEvent): void => {
  const [tab] = event.ports;
  if (tab) tab.onmessage = ({ data, ports }: MessageEvent): void => hear(tab, data as ToBroker, ports[0]);
};
