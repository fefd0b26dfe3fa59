/**
 * At which addresses the pages of a collection are replayed, and who may speak for them.
 *
 *   wildcard  each archived host on an origin of its own, below a domain for all of them
 *   single    one origin for all, away from this page: archived sites share it, of one collection at a time
 *   same      below this page's own address, where no script of a page ever runs
 */

/** Replay addresses are `before`, a label, `after` and the rest; the salt is the secret in each label. */
export interface Origins {
  readonly mode: "wildcard" | "single" | "same";
  readonly before: string;
  readonly after: string;
  readonly salt: string;
  /** Labels do not tell names of hosts. */
  readonly isHidden: boolean;
  /** The origin of the page that shows them. */
  readonly viewer: string;
}

/** What a page that is hosted somewhere is told of where it can replay. */
export type ReplaySetting =
  /** As `https://{label}.replay.example`; with `hash` nobody who resolves names learns those of archived sites. */
  | { readonly mode: "wildcard"; readonly template: string; readonly labels?: "hash" | undefined }
  /** As `https://replay.example`. */
  | { readonly mode: "single"; readonly origin: string }
  /** Where `sw.js` lies, below this page's own origin: `replayed/`. */
  | { readonly mode: "same"; readonly scope?: string | undefined }
  | { readonly mode: "none" };

const SALT_LETTERS = 6;
/** Between the scope of a service worker and the label. */
export const PATH_MARK = "-/";

/** Unguessable by archived pages, so that no page can name an origin of another collection. */
export function newSalt(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from(crypto.getRandomValues(new Uint8Array(SALT_LETTERS)), (byte) => letters[byte & 31]).join("");
}

/** The addresses that a setting gives; null where it gives none, or is none. */
export function originsOf(setting: ReplaySetting, salt: string, here: { readonly origin: string; readonly href: string } = location): Origins | null {
  const rest = { salt, isHidden: false, viewer: here.origin };
  switch (setting.mode) {
    case "wildcard": {
      const [before = "", after = ""] = setting.template.replace(/\/$/, "").split("{label}");
      const isTemplate = /^https?:\/\/$/.test(before) && after.startsWith(".") && URL.canParse(`${before}probe${after}`);
      return isTemplate ? { ...rest, mode: "wildcard", before, after, isHidden: setting.labels === "hash" } : null;
    }
    case "single": {
      // On the viewer's own origin pages with scripts would reach all of it.
      const origin = URL.canParse(setting.origin) ? new URL(setting.origin).origin : here.origin;
      return origin === here.origin || origin === "null" ? null : { ...rest, mode: "single", before: `${origin}/${PATH_MARK}`, after: "" };
    }
    case "same": {
      const scope = new URL(setting.scope ?? "replayed/", here.href);
      return scope.origin === here.origin && scope.pathname.endsWith("/") ? { ...rest, mode: "same", before: `${scope.origin}${scope.pathname}${PATH_MARK}`, after: "" } : null;
    }
    case "none":
      return null;
  }
}

/** Origins directly below the one of this page, as the server of the viewer gives them on localhost. */
export function originsBelow(salt: string, { protocol, host, origin = `${protocol}//${host}` }: { readonly protocol: string; readonly host: string; readonly origin?: string } = location): Origins {
  return { mode: "wildcard", before: `${protocol}//`, after: `.${host}`, salt, isHidden: false, viewer: origin };
}

/** The label of a page of this collection, by the origin that the browser vouches for; "" for one origin for all. */
export function labelOf({ mode, before, after, salt }: Origins, origin: string): string | undefined {
  if (mode !== "wildcard") return before === `${origin}/${PATH_MARK}` ? "" : undefined;
  const end = `-${salt}${after}`;
  if (!origin.startsWith(before) || !origin.endsWith(end)) return undefined;
  const label = origin.slice(before.length, -after.length);
  return label.includes(".") ? undefined : label;
}
