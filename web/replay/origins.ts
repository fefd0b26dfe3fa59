/** Which origins the pages of a collection live on, and whether this browser and this server give them. */

import { FRAME_SANDBOX } from "./policy.js";

/** Replay origins are `scheme://label.domain`, and the salt is the secret in each label. */
export interface Origins {
  readonly scheme: string;
  readonly domain: string;
  readonly salt: string;
}

/** What of a document is needed here, so that nothing else is touched. */
export interface FrameHost {
  readonly ownerDocument: { createElement(name: "iframe"): Frame };
  append(...frames: never[]): void;
}

export interface Frame extends EventTarget {
  hidden: boolean;
  title: string;
  src: string;
  readonly contentWindow: { readonly location: { replace(url: string): void } } | null;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

const SALT_LETTERS = 6;
const PATIENCE_MS = 3_000;

/** Unguessable by archived pages, so that no page can name an origin of another collection. */
export function newSalt(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from(crypto.getRandomValues(new Uint8Array(SALT_LETTERS)), (byte) => letters[byte & 31]).join("");
}

/** Origins directly below the one of this page, as the server of the viewer gives them on localhost. */
export function originsBelow(salt: string, { protocol, host }: { readonly protocol: string; readonly host: string } = location): Origins {
  return { scheme: protocol.slice(0, -1), domain: host, salt };
}

/** How the origin of every host of a collection ends. */
export const suffixOf = ({ salt, domain }: Origins): string => `-${salt}.${domain}`;

/** Whether such an origin answers and may start what it needs. */
export function areReachable(origins: Origins, host: FrameHost): Promise<boolean> {
  const origin = `${origins.scheme}://probe${suffixOf(origins)}`;
  if (!URL.canParse(origin)) return Promise.resolve(false);
  const frame = host.ownerDocument.createElement("iframe");
  frame.hidden = true;
  frame.setAttribute("sandbox", FRAME_SANDBOX);
  return new Promise<boolean>((resolve) => {
    const onMessage = (event: MessageEvent): void => {
      if (event.origin === origin && (event.data as { wa?: unknown } | null)?.wa === "here") done(true);
    };
    const timer = setTimeout(() => done(false), PATIENCE_MS);
    const done = (isReachable: boolean): void => {
      clearTimeout(timer);
      removeEventListener("message", onMessage);
      frame.remove();
      resolve(isReachable);
    };
    addEventListener("message", onMessage);
    frame.src = `${origin}/.wa/boot`;
    host.append(frame as never);
  });
}
