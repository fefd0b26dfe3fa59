/**
 * The WebAssembly modules that an engine runs on, ready to use: `engine` to begin with, and `tools`, which holds the
 * same and more, where that is not enough, as for bodies that are encoded in a rarer way; `documents` for what they say, and
 * `pdf` for those that are PDFs. How Node loads them is in `node.ts`.
 */

import { ArchiveError } from "./errors.js";
import init, * as engine from "./wasm/engine.js";

/** What both modules have. */
export type EngineExports = typeof engine;

/** What the larger one has. */
export type ToolsExports = typeof import("./wasm/tools.js");

export interface EngineModule {
  readonly exports: EngineExports;
  readonly memory: WebAssembly.Memory;
}

/** Where the `.wasm` files are, if not beside this one. */
export interface ModuleUrls {
  readonly wasmUrl?: string | undefined;
  readonly toolsUrl?: string | undefined;
}

export type DocumentsExports = typeof import("./wasm/documents.js");

export type PdfExports = typeof import("./wasm/pdf.js");

export interface Modules {
  readonly engine: (urls: ModuleUrls) => Promise<EngineModule>;
  /** Fetched when it is first needed. */
  readonly tools: (urls: ModuleUrls) => Promise<EngineModule>;
  /** What reads documents, by itself. */
  readonly documents: (url: string | undefined) => Promise<DocumentsExports>;
  /** Fetched for the first PDF. */
  readonly pdf: (url: string | undefined) => Promise<PdfExports>;
}

export const modules: Modules = {
  engine: async ({ wasmUrl }) => ready(engine, init, wasmUrl),
  tools: async ({ toolsUrl }) => {
    const { default: initTools, ...tools } = await import("./wasm/tools.js").catch(notLoaded);
    return ready(tools as unknown as EngineExports, initTools, toolsUrl);
  },
  documents: async (url) => {
    const documents = await import("./wasm/documents.js").catch(notLoaded);
    await documents.default(url === undefined ? undefined : { module_or_path: url }).catch(notLoaded);
    return documents;
  },
  pdf: async (url) => {
    const pdf = await import("./wasm/pdf.js").catch(notLoaded);
    await pdf.default(url === undefined ? undefined : { module_or_path: url }).catch(notLoaded);
    return pdf;
  },
};

type Init = (options?: { module_or_path: string | BufferSource }) => Promise<{ readonly memory: WebAssembly.Memory }>;

export async function ready(exports: EngineExports, start: Init, from: string | BufferSource | undefined): Promise<EngineModule> {
  const { memory } = await start(from === undefined ? undefined : { module_or_path: from }).catch(notLoaded);
  return { exports, memory };
}

function notLoaded(cause: unknown): never {
  const message = "The engine could not be loaded. Its .wasm file is missing, or the page's policy forbids WebAssembly.";
  throw new ArchiveError("engine/not-loaded", message, { cause });
}
