/**
 * What is done to the bytes of a capture on their way to a page: decides which rewriter they go through, by what they
 * are and what asks for them, and puts the shim first.
 */

import type { ReplayHosts } from "../lib/wasm/rewrite.js";
import type { Origins } from "./origins.js";
import { SHIM } from "./shimtext.js";

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

/** One body on its way through. */
export interface Rewriting {
  write(bytes: Uint8Array): void;
  end(): void;
  /** What has come out since the last call. */
  take(): Uint8Array;
  free(): void;
  /** The character set of what comes out, where it is another than what goes in. */
  readonly charset?: string;
}

export interface Rewriter {
  /** Null where the bytes pass as they are. */
  rewriterOf(context: Context): Promise<Rewriting | null>;
}

const FRAMES = new Set(["document", "iframe", "frame", "object", "embed"]);
const WORKERS = new Set(["worker", "sharedworker"]);

/** Over the table of hosts that requests are read with: a hashed label is known there once it has been put into a page. */
export function makeRewriter(hosts: ReplayHosts, origins: Origins): Rewriter {
  return {
    async rewriterOf(context) {
      const { contentType, charset, dest, scripts } = context;
      if (WORKERS.has(dest)) return new Prologue(`${shimFor(context, origins)};`);
      // What a script fetches it gets as it was: the shim maps addresses where they are used.
      if (!FRAMES.has(dest) || !/^\s*text\/html\b/i.test(contentType ?? "")) return null;
      return hosts.html(charset, scripts ? `<script>${shimFor(context, origins)};document.currentScript.remove()</script>` : "");
    },
  };
}

/** The shim and what it is told, in ASCII, since it stands in documents of any character set. */
function shimFor({ url, time, seed, cookies }: Context, origins: Origins): string {
  const told = JSON.stringify({ url, time, seed, cookies, ...origins });
  const safe = told.replace(/[<\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${SHIM}(${safe})`;
}

/** A script with another before it, on its first line. */
class Prologue implements Rewriting {
  #out: Uint8Array[];

  constructor(text: string) {
    this.#out = [new TextEncoder().encode(text)];
  }

  write(bytes: Uint8Array): void {
    this.#out.push(bytes);
  }

  end(): void {}

  take(): Uint8Array {
    const out = joined(this.#out);
    this.#out = [];
    return out;
  }

  free(): void {}
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
