/**
 * What is done to the bytes of a capture on their way to a page: decides which rewriter they go through, by what they
 * are and what asks for them, and puts the shim first.
 */

import { needs_editing, type DocumentScripts, type ReplayHosts } from "../lib/wasm/rewrite.js";
import type { Origins } from "./origins.js";
import { Decoded, mustDecode, Whole, type Rewriting } from "./passes.js";
import { SHIM } from "./shimtext.js";

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
const MEDIA = new Set(["video", "audio", "track"]);

/** Inline scripts are short: this is to spare most of them the way to the editor, `needs_editing` is for whole files. */
const mayNeedEditing = /location|top|postMessage|import|export|\\x/;

const isHtml = (type: string): boolean => /^(?:text\/html|application\/xhtml\+xml)$/.test(type);

/** Edits scripts of a collection: the class of the module `scripts`. */
export interface ScriptEditor {
  edit(source: string, kind: string): string | undefined;
  edit_bytes(source: Uint8Array, kind: string): Uint8Array | undefined;
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
    return { edit: (source, kind) => (mayNeedEditing.test(source) ? scriptEditor.edit(source, kind) : undefined) };
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

  async function pass(context: Context): Promise<Rewriting | null> {
    const { contentType, charset, dest, scripts } = context;
    const type = (contentType ?? "").replace(/;.*$/s, "").trim().toLowerCase();
    if (FRAMES.has(dest) && isHtml(type)) {
      const label = mustDecode(charset) ? "utf-8" : charset;
      if (!scripts) return inert(label, context.url);
      return hosts.html(label, elementOf(shimFor(context, origins), type), await editInline());
    }
    // Pictures in frames may show other pictures. Their scripts see the replay origin.
    if (FRAMES.has(dest) && type === "image/svg+xml") return inert(mustDecode(charset) ? "utf-8" : charset, context.url);
    if (dest === "style") return new Whole((bytes) => hosts.text("css", bytes));
    if (dest === "script" || WORKERS.has(dest)) {
      const scriptEditor = await editor();
      const edit = (bytes: Uint8Array): Uint8Array | undefined => (needs_editing(bytes) ? scriptEditor.edit_bytes(bytes, "script") : undefined);
      return new Whole(edit, WORKERS.has(dest) ? `${shimFor(context, origins)};` : "");
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

/** The shim and what it is told, in ASCII, since it stands in documents of any character set. */
function shimFor({ url, time, seed, cookies }: Context, origins: Origins): string {
  const { before, after, salt, isHidden, viewer } = origins;
  const told = JSON.stringify({ url, time, seed, cookies, before, after, salt, isHidden, viewer });
  const safe = told.replace(/[<\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${SHIM}(${safe})`;
}

/** It leaves no trace in the document. */
function elementOf(shim: string, type: string): string {
  const script = `${shim};document.currentScript.remove()`;
  return type === "text/html" ? `<script>${script}</script>` : `<script xmlns="http://www.w3.org/1999/xhtml">/*<![CDATA[*/${script}/*]]>*/</script>`;
}
