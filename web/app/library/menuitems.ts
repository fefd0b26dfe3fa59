/** What the menu of the viewer says of the library. */
import { html, nothing, type TemplateResult } from "lit";

import { icons } from "../views/icons.js";
import type { Shelf } from "./shelf.js";
import { words } from "./words.js";

export function menuItems(shelf: Shelf): TemplateResult {
  const { isKeepingOn } = shelf;
  return html`
    <hr />
    <button role="menuitemcheckbox" aria-checked=${isKeepingOn ? "true" : "false"} @click=${() => shelf.setKeeping(!isKeepingOn)}>
      <span>${words.keepWhatIsOpened}</span>${isKeepingOn ? icons.check : nothing}
    </button>
  `;
}
