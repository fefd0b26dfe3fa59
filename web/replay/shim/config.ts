/**
 * What the shim is told by the markup that it stands in.
 * The build makes one expression of all files here, `(function __wa$self(__wa$config) { ... })`, which rewriting calls
 * with this; so the shim has its own text at hand for realms that a page makes itself.
 */

export interface Config {
  /** The archived URL of the document or worker; that of the page for realms without an address of their own. */
  readonly url: string;
  /** Time of the capture in milliseconds; 0 where it is unknown. */
  readonly time: number;
  readonly seed: string;
  /** Replay addresses are `before`, a label, `after` and the rest: ../origins.ts. */
  readonly before: string;
  readonly after: string;
  readonly salt: string;
  readonly isHidden: boolean;
  readonly viewer: string;
  readonly cookies: string;
}

declare const __wa$config: Config;
declare const __wa$self: (config: Config) => void;

export const config = __wa$config;

/**
 * A script that does in another realm what this one does here. Made at once: libraries of pages give strings and
 * functions other ways to be written.
 */
export const source = `(${Function.prototype.toString.call(__wa$self)})(${JSON.stringify(config).replace(/</g, "\\u003c")});`;
