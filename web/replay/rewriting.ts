/**
 * What is done to the bytes of a capture on their way to a page: decides which rewriter they go through, by what they
 * are and what asks for them, and puts the shim first.
 */

import { needs_editing, type DocumentScripts, type ReplayHosts } from "../lib/wasm/rewrite.js";
import type { Origins } from "./origins.js";
import { Decoded, mustDecode, Prolog, Whole, type Rewriting } from "./passes.js";
import { SHIM as SHIM_TEXT } from "./shimtext.js";

export type { Rewriting } from "./passes.js";

/** What of a capture rewriting depends on. */
export interface Context {
  /** The archived URL, absolute and with its scheme. */
  readonly url: string;
  /** Time of the capture, in milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  /** As `archive.detail()` tells them. */
  readonly contentType: string | undefined;
  readonly charset: string | undefined;
  /** `Request.destination` of who asks: "" where a script fetches. */
  readonly dest: string;
  /** The same for every replay of a page, so that what is random in it is the same too. */
  readonly seed: string;
  /** Whether scripts of the page may run. */
  readonly scripts: boolean;
  /** What `document.cookie` says at first. */
  readonly cookies: string;
}

export interface Rewriter {
  /** Null where the bytes pass as they are. */
  rewriterOf(context: Context): Promise<Rewriting | null>;
}

const FRAMES = new Set(["document", "iframe", "frame", "object", "embed"]);
const WORKERS = new Set(["worker", "sharedworker"]);
/** In place of a destination: only what goes before the module of a worker is asked for, at an address that ends so. */
export const SHIM = "shim";
const SHIM_MARK = "__wa=shim";
const MEDIA = new Set(["video", "audio", "track"]);

/** Inline scripts are short: this is to spare most of them the way to the editor, `needs_editing` is for whole files. */
const mayNeedEditing = /location|top|postMessage|import|export|\\x/;

const isHtml = (type: string): boolean => /^(?:text\/html|application\/xhtml\+xml)$/.test(type);
const isXml = (type: string): boolean => /^(?:text\/xml|application\/(?:.+\+)?xml|image\/svg\+xml)$/.test(type);

/** Edits scripts of a collection: the class of the module `scripts`. */
export interface ScriptEditor {
  edit(source: string, kind: string): string | undefined;
  edit_bytes(source: Uint8Array, kind: string): Uint8Array | undefined;
  /** Whether the one that was edited last is a module. */
  is_module(): boolean;
}

/**
 * Over the table of hosts that requests are read with: a hashed label is known there once it has been put into a page.
 * What a script fetches it gets as it was: the shim maps addresses where they are used.
 */
export function makeRewriter(hosts: ReplayHosts, origins: Origins, loadEditor: () => Promise<ScriptEditor>): Rewriter {
  let loading: Promise<ScriptEditor> | undefined;
  const editor = (): Promise<ScriptEditor> => (loading ??= loadEditor());
  const editInline = async (): Promise<DocumentScripts> => {
    const scriptEditor = await editor();
    return {
      edit(source, kind) {
        if (!mayNeedEditing.test(source)) return undefined;
        // In XML a script may be marked as text, which is no part of it.
        const [, before = "", marked, after = ""] = /^(\s*<!\[CDATA\[)(.*)(\]\]>\s*)$/s.exec(source) ?? [];
        if (marked === undefined) return scriptEditor.edit(source, kind);
        const edited = scriptEditor.edit(marked, kind);
        return edited === undefined ? undefined : before + edited + after;
      },
    };
  };

  /** Where no script runs that could map where one goes, what begins with one slash is mapped beforehand. */
  function inert(charset: string | undefined, url: string): Rewriting {
    if (origins.mode === "wildcard" || !URL.canParse(url)) return hosts.html(charset, "", null);
    const own = hosts.at(new URL(url).host);
    try {
      return own.html(charset, "", null);
    } finally {
      own.free();
    }
  }

  const replayUrl = (url: string): string | undefined => hosts.replay_url(url);

  /** A document of its own, or in a frame. */
  async function document(context: Context, type: string): Promise<Rewriting | null> {
    const { charset, scripts } = context;
    const label = mustDecode(charset) ? "utf-8" : charset;
    const isPicture = type === "image/svg+xml";
    if (!isHtml(type) && !isPicture) return isXml(type) ? new Prolog(null, replayUrl, "") : null;
    const first = scripts ? elementOf(shimFor(context, origins), type) : "";
    const rewriting = scripts ? hosts.html(label, isPicture ? "" : first, await editInline()) : inert(label, context.url);
    return isXml(type) ? new Prolog(rewriting, replayUrl, isPicture ? first : "") : rewriting;
  }

  async function worker(context: Context): Promise<Rewriting> {
    // What a worker imports may be asked for as a worker is: the first shim stands.
    const shim = `self.__wa$import||${shimFor(context, origins)};`;
    if (context.dest === SHIM) return new Whole(() => new TextEncoder().encode(shim));
    const scriptEditor = await editor();
    return new Whole((bytes) => {
      const edited = scriptEditor.edit_bytes(bytes, "script") ?? bytes;
      // What a module imports runs before it, so its shim is the first of that.
      return withText(scriptEditor.is_module() ? `import${JSON.stringify(shimAddress(context.url))};` : shim, edited);
    });
  }

  async function pass(context: Context): Promise<Rewriting | null> {
    const { contentType, dest } = context;
    const type = (contentType ?? "").replace(/;.*$/s, "").trim().toLowerCase();
    if (FRAMES.has(dest)) return document(context, type);
    if (WORKERS.has(dest) || dest === SHIM) return worker(context);
    if (dest === "style") return new Whole((bytes) => hosts.text("css", bytes));
    if (dest === "script") {
      const scriptEditor = await editor();
      return new Whole((bytes) => (needs_editing(bytes) ? scriptEditor.edit_bytes(bytes, "script") : undefined));
    }
    if (MEDIA.has(dest) && /mpegurl/.test(type)) return new Whole((bytes) => hosts.text("hls", bytes));
    if (MEDIA.has(dest) && type === "application/dash+xml") return new Whole((bytes) => hosts.text("dash", bytes));
    return null;
  }

  return {
    async rewriterOf(context) {
      const rewriting = await pass(context);
      return rewriting && mustDecode(context.charset) ? new Decoded(rewriting, context.charset) : rewriting;
    },
  };
}

/** Where a worker's shim is a module of its own: beside it. */
function shimAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return `./${pathname.replace(/^.*\//s, "")}${search}${search === "" ? "?" : "&"}${SHIM_MARK}`;
}

/** Who asks for such a shim asks for the module that it is for, as nobody else does. */
export function seenThrough<Asked extends { readonly url: string; readonly dest: string }>(asked: Asked): Asked {
  const { url } = asked;
  return url.endsWith(SHIM_MARK) ? { ...asked, url: url.slice(0, -SHIM_MARK.length - 1), dest: SHIM } : asked;
}

/** The shim and what it is told, in ASCII, since it stands in documents of any character set. */
function shimFor({ url, time, seed, cookies }: Context, origins: Origins): string {
  const { before, after, salt, isHidden, viewer } = origins;
  const told = JSON.stringify({ url, time, seed, cookies, before, after, salt, isHidden, viewer });
  const safe = told.replace(/[<\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${SHIM_TEXT}(${safe})`;
}

function withText(text: string, bytes: Uint8Array): Uint8Array {
  const first = new TextEncoder().encode(text);
  const out = new Uint8Array(first.length + bytes.length);
  out.set(first);
  out.set(bytes, first.length);
  return out;
}

/** It leaves no trace in the document. */
function elementOf(shim: string, type: string): string {
  const script = `${shim};document.currentScript.remove()`;
  return type === "text/html" ? `<script>${script}</script>` : `<script xmlns="http://www.w3.org/1999/xhtml">/*<![CDATA[*/${script}/*]]>*/</script>`;
}
