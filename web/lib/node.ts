/** The package in Node: the same functions, with files opened by path and the engine beside the caller. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { greet, loopback, type Connect } from "./connection.js";
import { Engine } from "./engine.js";
import { listPath, openNodeSource } from "./files.js";
import { ready, type EngineExports, type Modules } from "./module.js";
import { opener, referTo, type Referrer } from "./open.js";
import init, * as tools from "./wasm/tools.js";

const TOOLS = new URL("./wasm/tools_bg.wasm", import.meta.url);

const fileBytes = async (url: URL): Promise<BufferSource> => {
  if (url.protocol === "file:") return readFile(fileURLToPath(url));
  return (await fetch(url)).arrayBuffer();
};

/** Nobody waits for a download here: one module that holds everything. */
const load: Modules["tools"] = async ({ toolsUrl }) => {
  const bytes = await fileBytes(toolsUrl === undefined ? TOOLS : new URL(toolsUrl));
  return ready(tools as unknown as EngineExports, init, bytes);
};

const connect: Connect = async (options) => greet(loopback(new Engine(openNodeSource, { engine: load, tools: load })), options);

const refer: Referrer = (source) => {
  if (source instanceof URL && source.protocol === "file:") return { kind: "path", path: fileURLToPath(source) };
  if (typeof source !== "string" || /^https?:\/\//i.test(source)) return referTo(source);
  return source.startsWith("file:") ? { kind: "path", path: fileURLToPath(source) } : { kind: "path", path: source };
};

export const { openArchive, inspectArchive, readRecord, surt } = opener(connect, refer, listPath);

export { Archive } from "./archive.js";
export type { FilterOptions, ReadOptions, RecordPlace, SignalOption } from "./archive.js";
export { ArchiveError } from "./errors.js";
export type { ArchiveSource, CollectionSource, FolderSource, InspectOptions, MemberOption, NamedSource, OpenOptions } from "./open.js";
export { VERSION } from "./protocol.js";
export type * from "./shapes.js";
export type { View } from "./view.js";
