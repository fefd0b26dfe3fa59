/** In the status strip: whether the open archive is in the library, and what can be done about that. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { visible } from "../content/visible.js";
import { formatBytes } from "../format.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import "../views/menu.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import { canCopy } from "./copying.js";
import { askToRemove } from "./remove.js";
import { words } from "./words.js";

export class Kept extends LitElement {
  static override properties = { store: { attribute: false } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        white-space: nowrap;
      }
      button {
        min-block-size: 24px;
        font-size: var(--text-small);
      }
      .failed {
        color: var(--warn);
        font-weight: 600;
      }
      svg {
        inline-size: 14px;
        block-size: 14px;
      }
    `,
  ];
  declare store: Store;

  constructor() {
    super();
    new Watch(this, "library", "phase", "progress");
  }

  override render(): TemplateResult | typeof nothing {
    const { library } = this.store;
    if (library === undefined) return nothing;
    const { keeping, kept, trouble, copying } = library;
    if (keeping === "keeping") return html`<span title=${words.keepingHint}>${words.keeping(String(Math.floor(library.share * 100)))}</span>`;
    if (keeping === "elsewhere") return html`<button class="quiet" title=${words.keepHint} @click=${() => void library.keepNow()}>${words.keptElsewhere}</button>`;
    if (keeping === "kept" && kept !== undefined) {
      const isCopying = copying?.id === kept.id;
      return html`
        <stackroom-menu label=${words.keptHint} text=${isCopying ? words.copying(copying.share) : kept.copy === undefined ? words.kept : words.copied} .icon=${icons.check}>
          ${isCopying
            ? html`<button role="menuitem" @click=${() => copying.stop()}><span>${words.stopCopying}</span></button>`
            : kept.copy !== undefined
              ? html`<button role="menuitem" @click=${() => void library.dropCopy(kept.id)}><span>${words.dropCopy(formatBytes(kept.copy.bytes))}</span></button>`
              : canCopy && copying === undefined
                ? html`<button role="menuitem" @click=${() => void library.keepCopy()}><span>${words.keepCopy(kept.bytes === undefined ? "" : formatBytes(kept.bytes))}</span></button>`
                : nothing}
          <button role="menuitem" @click=${() => void library.check(kept.id)}><span>${words.checkIndex}</span></button>
          <button role="menuitem" @click=${() => void library.indexAgain()}><span>${words.indexAgain}</span></button>
          <button role="menuitem" @click=${() => askToRemove(this.store, kept)}><span>${words.removeThis}</span></button>
        </stackroom-menu>
      `;
    }
    if (keeping === "failed" && trouble !== undefined) {
      return html`<button class="quiet failed" title=${words.notKeptFor(visible(trouble.message, 300))} @click=${() => void library.keepNow()}>
        ${icons.warning}${trouble.code === "store/full" ? words.noRoom : words.notKept} ${words.tryAgain}
      </button>`;
    }
    return html`<button class="quiet" title=${words.keepHint} @click=${() => void library.keepNow()}>${words.keep}</button>`;
  }
}

customElements.define("stackroom-kept", Kept);
