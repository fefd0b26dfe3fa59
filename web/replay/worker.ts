/** Entry of the viewer's replay worker: opens an archive, holds the ports of its replay origins, answers them. */
import { openArchive } from "../lib/index.js";
import init, { ReplayHosts } from "../lib/wasm/rewrite.js";
import { Bridge } from "./bridge.js";
import { Collection } from "./collection.js";
import type { FromWorker, ToWorker } from "./replay.js";
import { makeRewriter } from "./rewriting.js";

let hosts: ReplayHosts | undefined;
let collection: Promise<Collection> | undefined;

const bridge = new Bridge(async (get) => {
  if (!collection) throw new Error("no archive is open");
  return (await collection).answer(get);
});

const say = (message: FromWorker): void => self.postMessage(message);

async function open({ source, scheme, domain, salt }: ToWorker & { call: "open" }): Promise<null> {
  const [archive] = await Promise.all([openArchive(source, { worker: false }), init()]);
  hosts = new ReplayHosts(scheme, domain, salt);
  collection = Collection.over(archive, hosts, makeRewriter(hosts, { scheme, domain, salt }));
  await collection;
  return null;
}

async function answer(message: ToWorker): Promise<unknown> {
  switch (message.call) {
    case "open":
      return open(message);
    case "attach":
      return hosts?.host(message.label) === undefined ? message.port.close() : bridge.attach(message.port, message.label);
    case "locate":
      return hosts?.replay_url(message.url) ?? null;
    case "counts":
      return { ...bridge.counts };
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker & { id: number }>): void => {
  answer(data).then(
    (value) => say({ id: data.id, value }),
    (error: unknown) => say({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
};
