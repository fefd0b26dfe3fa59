/** What a document says of itself: addresses, host, cookies, when it was last changed. */

import { config } from "./config.js";
import { isMade } from "./location.js";
import { accessor, prototypeOf, tell } from "./natives.js";
import { archivedHost, isTop, realLocation, say, told } from "./place.js";

/** Name and value of what a page sets; what says that it is over removes it. */
class Jar {
  readonly #cookies = new Map<string, string>();

  constructor(start: string) {
    for (const cookie of start.split(/;\s*/)) this.#put(cookie);
  }

  get text(): string {
    return [...this.#cookies].map(([name, value]) => (name === "" ? value : `${name}=${value}`)).join("; ");
  }

  #put(pair: string): string {
    const [, name = "", value = ""] = /^(?:([^=]*)=)?(.*)$/s.exec(pair.trim()) ?? [];
    if (name.trim() !== "" || value.trim() !== "") this.#cookies.set(name.trim(), value.trim());
    return name.trim();
  }

  set(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split(";");
    const fields = new Map(attributes.map((field) => {
      const [name = "", value = ""] = field.split("=");
      return [name.trim().toLowerCase(), value.trim()] as const;
    }));
    if (fields.has("httponly")) return;
    const name = this.#put(pair);
    const age = fields.get("max-age");
    const isOver = age === undefined ? Date.parse(fields.get("expires") ?? "") < Date.now() : Number(age) <= 0;
    if (isOver) this.#cookies.delete(name);
  }
}

const two = (number: number): string => String(number).padStart(2, "0");

/** As `document.lastModified` has it: month/day/year, in local time. */
function written(time: number): string {
  const date = new Date(time);
  const day = `${two(date.getMonth() + 1)}/${two(date.getDate())}/${date.getFullYear()}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function lieAboutDocuments(): void {
  const prototype = prototypeOf("Document");
  const loaded = Date.now();
  const jar = new Jar(config.cookies);
  let domain = archivedHost;
  for (const name of ["URL", "documentURI"]) accessor(prototype, name, (value) => (isMade(value) ? "about:srcdoc" : told(value)));
  // Where nothing archived led here the viewer did, or the boot page, which was at the same address. A frame is told its
  // origin by the page around it, as far as browsers say it.
  const around = isTop ? undefined : (realLocation as { ancestorOrigins?: DOMStringList }).ancestorOrigins?.[0];
  const referrer = around === undefined || told(around) === around ? "" : `${String(told(around))}/`;
  accessor(prototype, "referrer", (value) => (told(value) === value || value === realLocation.href ? referrer : told(value)));
  accessor(prototypeOf("Node"), "baseURI", told);
  tell(prototype, "domain", () => domain, (value) => {
    // Only a parent of the own host may be set, and nothing comes of it: hosts stay apart.
    if (`.${archivedHost}`.endsWith(`.${String(value)}`)) domain = String(value);
    else throw new DOMException(`Failed to set the 'domain' property on 'Document'`, "SecurityError");
  });
  tell(prototype, "cookie", () => jar.text, (value) => {
    const cookie = String(value);
    jar.set(cookie);
    say({ wa: "cookie", cookie, host: archivedHost });
  });
  // Without a header browsers tell the present time.
  accessor(prototype, "lastModified", (value) => (config.time && Date.parse(String(value)) > loaded - 60_000 ? written(config.time) : value));
}
