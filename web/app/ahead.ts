/** What is going to be needed, started before it is: the engine, and what shows the archived page that a link leads to. */
import { startAhead } from "stackroom";
import type { SharedLibrary } from "stackroom/library";

import { meant } from "./address.js";
import { readSetting } from "./library/settings.js";

/** An archive is about to be opened: it was linked, is being dragged here, or somebody goes to choose or name one. */
export const startEngine = (): void => startAhead({ isForKeeping: readSetting("keep") !== "off" });

let library: Promise<SharedLibrary> | undefined;

/** The one library of this page. */
export const startLibrary = (): Promise<SharedLibrary> => (library ??= import("stackroom/library").then(({ openSharedLibrary }) => openSharedLibrary()));

let begun: { readonly link: string; readonly shown: Promise<unknown> } | undefined;

/** Starts it once for a link. Tells when the page is there, or is waited for no longer. */
export function startFor(source: string, url: string): Promise<unknown> {
  const link = JSON.stringify([source, url]);
  if (begun?.link !== link) begun = { link, shown: start(meant(source), url).catch(() => undefined) };
  return begun.shown;
}

async function start(source: string, url: string): Promise<void> {
  if (!URL.canParse(source)) return;
  const { prepare } = await import("./replay/stage.js");
  await prepare(new URL(source), url);
}
