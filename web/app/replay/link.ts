/** The address bar says which archived page is shown, so that it can be kept and sent. */
import type { Address } from "../state.js";

export function link(address: Address | undefined): void {
  const here = new URL(location.href);
  const fields = new URLSearchParams(here.hash.slice(1));
  for (const name of ["url", "ts"]) fields.delete(name);
  if (address) {
    fields.set("url", address.url);
    if (address.captured !== undefined) fields.set("ts", new Date(address.captured).toISOString().replace(/\D/g, "").slice(0, 14));
  }
  here.hash = fields.toString();
  if (here.href !== location.href) history.replaceState(history.state, "", here);
}
