/** The address bar says what is searched for: `#archive=ADDRESS&search=QUERY`, so that it can be kept, sent and gone back to. */

export const searchIn = (hash: string): string => new URLSearchParams(hash.slice(1)).get("search") ?? "";

/** Marks the step of the history that the tab is at as one of this visit. */
export function mark(visit: string): void {
  history.replaceState({ visit }, "");
}

/** As a step of its own, or in place of the one before. */
export function note(query: string, visit: string, isStep: boolean): void {
  const here = new URL(location.href);
  const fields = new URLSearchParams(here.hash.slice(1));
  if (query === "") fields.delete("search");
  else fields.set("search", query);
  here.hash = fields.toString();
  if (here.href === location.href) return;
  if (isStep) history.pushState({ visit }, "", here);
  else history.replaceState({ visit }, "", here);
}

export const visitOf = (state: unknown): unknown => (typeof state === "object" && state !== null && "visit" in state ? state.visit : undefined);
