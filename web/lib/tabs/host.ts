/**
 * The owner, in its tab's dedicated worker: takes the claim, opens what the claim is for, serves every tab's wire.
 * It frees what a tab held when that tab is gone, finishes when a newer page asks, and ends itself when it is told, or
 * hears, that another tab is the owner. Who may be the owner is the page's affair: see `tab.ts`.
 */

import { errorToWire } from "../errors.js";
import { serve } from "../port.js";
import type { Claim } from "./claim.js";
import { SharedFiles } from "./files.js";
import { leaseEnd } from "./lease.js";
import { takeClaim } from "./takeclaim.js";
import { OWNER, portWire, relayWire, ServedPort, type Wire } from "./wire.js";
import { channelName, compareVersions, pause, type Cry, type FromHost, type ToHost } from "./words.js";

/** What the owner owns, behind the claim. */
export interface Owned {
  /** What one tab may call; made when it links. */
  handlers(tab: string): object;
  /** The tab is gone: frees what it held. */
  release?(tab: string): void;
  /** Closes every handle. */
  close(): void | Promise<void>;
}

/** What an owner knows of its page, and may ask of it. */
export interface Page {
  /** What the tabs call what they share. */
  readonly name: string;
  /** Something worth keeping is there now: the page asks the browser not to throw it away. */
  askToPersist(): void;
}

export type OpenOwned = (claim: Claim, files: SharedFiles, page: Page) => Promise<Owned>;

type Own = Extract<ToHost, { tabs: "own" }>;

interface Guest {
  readonly port: ServedPort;
  readonly stop: () => Promise<void>;
  readonly leaving: AbortController;
}

/** The whole of an owner's worker: waits for its page's word. */
export function hostOwner(open: OpenOwned): void {
  const scope = self as unknown as DedicatedWorkerGlobalScope;
  const tell = (word: FromHost): void => scope.postMessage(word);
  let host: Host | undefined;
  scope.onmessage = (event: MessageEvent): void => {
    const word = event.data as ToHost;
    const [port] = event.ports;
    if (word.tabs !== "own") return host?.hear(word, port);
    Host.start(word, port, open, tell).then(
      (started) => {
        host = started;
        tell({ tabs: "owning", epoch: started.epoch });
      },
      (error: unknown) => {
        const { code, message } = errorToWire(error);
        tell({ tabs: "failed", code, message });
      },
    );
  };
}

class Host {
  readonly #own: Own;
  readonly #claim: Claim;
  readonly #channel: BroadcastChannel;
  readonly #files: SharedFiles;
  readonly #owned: Owned;
  readonly #tell: (word: FromHost) => void;
  readonly #guests = new Map<string, Guest>();
  #isAnnounced = false;
  #isFinishing = false;

  private constructor(own: Own, claim: Claim, channel: BroadcastChannel, files: SharedFiles, owned: Owned, tell: (word: FromHost) => void) {
    this.#own = own;
    this.#claim = claim;
    this.#channel = channel;
    this.#files = files;
    this.#owned = owned;
    this.#tell = tell;
  }

  /** `trunk`: where the broker says which tabs want to be linked. */
  static async start(own: Own, trunk: MessagePort | undefined, open: OpenOwned, tell: (word: FromHost) => void): Promise<Host> {
    const { name, clientId, epochFloor, isStolen, pace, kinds } = own;
    const lockedMs = isStolen ? pace.frozenLockedMs : pace.lockedMs;
    const channel = new BroadcastChannel(channelName(name));
    const starting = (): void => channel.postMessage({ say: "starting", tab: own.tab } satisfies Cry);
    // Whoever waits for an owner hears that one is on its way, for as long as that takes.
    starting();
    const sayingSo = setInterval(starting, pace.beatMs);
    let claim: Claim | undefined;
    try {
      claim = await takeClaim({ name, clientId, epochFloor, lockedMs }, kinds);
      const files = new SharedFiles(channel);
      files.take(own.files);
      const host = new Host(own, claim, channel, files, await open(claim, files, { name, askToPersist: () => tell({ tabs: "persist" }) }), tell);
      channel.onmessage = (event: MessageEvent): void => host.#overhear(event.data as Cry);
      if (trunk) trunk.onmessage = ({ data, ports }: MessageEvent): void => host.hear(data as ToHost, ports[0]);
      return host;
    } catch (error) {
      channel.close();
      claim?.close();
      throw error;
    } finally {
      clearInterval(sayingSo);
    }
  }

  get epoch(): number {
    return this.#claim.epoch;
  }

  hear(word: ToHost, port: MessagePort | undefined): void {
    if (word.tabs === "link" && port) this.#link(word.tab, portWire(port));
    else if (word.tabs === "announce") this.#announce();
    else if (word.tabs === "finish") void this.#finish();
  }

  #announce(): void {
    this.#isAnnounced = true;
    const { version, tab } = this.#own;
    this.#cry({ say: "owner", epoch: this.epoch, version, tab, files: this.#files.keys() });
  }

  #overhear(cry: Cry): void {
    if (cry.say === "who" && this.#isAnnounced && !this.#isFinishing) this.#announce();
    else if (cry.say === "relay-open" && cry.epoch === this.epoch) this.#link(cry.tab, relayWire(this.#channel, OWNER, cry.tab, this.epoch));
    else if (cry.say === "step-down" && compareVersions(cry.version, this.#own.version) > 0) void this.#finish();
    else if (cry.say === "owner" && cry.epoch > this.epoch) this.#end();
    else if (cry.say !== "owner") this.#files.hear(cry);
  }

  #link(tab: string, wire: Wire): void {
    this.#drop(tab);
    const port = new ServedPort(wire);
    const leaving = new AbortController();
    this.#guests.set(tab, { port, leaving, stop: serve(port, this.#owned.handlers(tab)) });
    if (this.#isFinishing) void port.finish();
    port.say({ tabs: "welcome", epoch: this.epoch, files: this.#files.entries() });
    void leaseEnd(this.#own.name, tab, leaving.signal).then(() => {
      if (leaving.signal.aborted) return;
      this.#drop(tab);
      this.#owned.release?.(tab);
    });
  }

  #drop(tab: string): void {
    const guest = this.#guests.get(tab);
    if (!guest) return;
    this.#guests.delete(tab);
    guest.leaving.abort();
    guest.port.close();
    void guest.stop();
  }

  /** Ends what is under way, within the grace, and lets go of everything. */
  async #finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    const guests = [...this.#guests.values()];
    await Promise.race([Promise.all(guests.map(({ port }) => port.finish())), pause(this.#own.pace.graceMs)]);
    await this.#release();
    this.#tell({ tabs: "finished" });
  }

  /** Another tab is the owner: nothing that is under way may be answered. */
  #end(): void {
    this.#isFinishing = true;
    for (const { port, leaving } of this.#guests.values()) {
      leaving.abort();
      port.close();
    }
    void this.#release();
    self.close();
  }

  async #release(): Promise<void> {
    this.#channel.onmessage = null;
    await this.#owned.close();
    this.#claim.close();
  }

  #cry(cry: Cry): void {
    this.#channel.postMessage(cry);
  }
}
