/** What sites had set as cookies when they were captured, as far as the archive tells and scripts could read it. */

import type { HeaderField } from "../lib/index.js";

const HOSTS_MAX = 1_000;
/** Of a host. */
const COOKIES_MAX = 100;
const COOKIE_LETTERS_MAX = 4096;

export class Jar {
  /** By host, or by a domain with a dot before it. */
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Takes in what an answer of a host set. */
  take(host: string, fields: readonly HeaderField[]): void {
    const name = hostOnly(host);
    for (const [field, value] of fields) {
      if (field.toLowerCase() === "set-cookie") this.set(name, value);
    }
  }

  /** What `document.cookie` says at first. */
  at(host: string): string {
    const name = hostOnly(host);
    const found = new Map<string, string>();
    for (const [owner, cookies] of this.#cookies) {
      if (owner !== name && !`.${name}`.endsWith(owner)) continue;
      for (const [key, value] of cookies) found.set(key, value);
    }
    return [...found].map(([key, value]) => `${key}=${value}`).join("; ");
  }

  /** As a header or a script states it. */
  set(host: string, line: string): void {
    if (line.length > COOKIE_LETTERS_MAX || (!this.#cookies.has(host) && this.#cookies.size >= HOSTS_MAX)) return;
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    if (at < 1) return;
    let owner = host;
    let isGone = false;
    for (const attribute of attributes) {
      const [name = "", value = ""] = attribute.split("=");
      switch (name.toLowerCase()) {
        case "httponly":
          return;
        case "max-age":
          isGone = Number(value) <= 0;
          break;
        case "domain": {
          const domain = `.${value.trim().toLowerCase().replace(/^\./, "")}`;
          if (!`.${host}`.endsWith(domain)) return;
          owner = domain;
        }
      }
    }
    const cookies = this.#cookies.get(owner) ?? new Map<string, string>();
    if (isGone) cookies.delete(pair.slice(0, at));
    else if (cookies.size < COOKIES_MAX) cookies.set(pair.slice(0, at), pair.slice(at + 1));
    this.#cookies.set(owner, cookies);
  }
}

const hostOnly = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");
