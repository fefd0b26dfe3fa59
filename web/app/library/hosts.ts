/** The tree of hosts with records and bytes of each; choosing one lists its records and those of all hosts below it. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { HostTree, hostName, type HostNode } from "./hosttree.js";
import { counted } from "./liststyles.js";
import { words } from "./words.js";

export class Hosts extends LitElement {
  static override properties = { store: { attribute: false }, index: { attribute: false }, active: { state: true }, isLoading: { state: true }, hasFailed: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    counted,
    css`
      .name::before {
        content: "";
        display: inline-block;
        inline-size: 0;
        block-size: 0;
        margin-inline-end: 6px;
        border: 4px solid transparent;
        border-inline-end: 0;
        vertical-align: 1px;
      }
      [aria-expanded] .name::before {
        border-inline-start: 6px solid var(--ink-faint);
      }
      [aria-expanded="true"] .name::before {
        transform: rotate(90deg);
      }
      .more {
        margin: 2px 12px 8px;
        min-block-size: 24px;
        font-size: var(--text-small);
      }
    `,
  ];
  declare store: Store;
  declare index: SharedIndex;
  declare active: number;
  declare isLoading: boolean;
  declare hasFailed: boolean;
  #tree: HostTree | undefined;

  constructor() {
    super();
    this.active = 0;
    this.isLoading = true;
    this.hasFailed = false;
    new Watch(this, "library");
  }

  override willUpdate(changes: PropertyValues): void {
    if (!changes.has("index")) return;
    const tree = new HostTree(this.index);
    this.#tree = tree;
    this.active = 0;
    void this.#reading(() => tree.load());
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    this.isLoading = true;
    try {
      await work();
    } catch {
      this.hasFailed = true;
    }
    this.isLoading = false;
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const tree = this.#tree;
    const shown = tree?.shown ?? [];
    if (this.hasFailed) return html`<p class="message" role="alert">${words.browseFailed}</p>`;
    if (tree === undefined || (shown.length === 0 && this.isLoading)) return html`<p class="message">${words.loading}</p>`;
    const most = Math.max(1, ...tree.roots.map(({ group }) => group.records));
    const unread = tree.hasMore ? undefined : [...shown].reverse().find((node) => node.isOpen && node.hasMore);
    return html`
      <div role="tree" tabindex="0" aria-label=${words.browseHosts} aria-busy=${this.isLoading ? "true" : "false"} aria-activedescendant=${shown.length > 0 ? `host-${this.active}` : nothing} @keydown=${this.#onKey} @click=${this.#onClick}>
        ${shown.map((node, at) => this.#node(node, at, most))}
      </div>
      ${tree.hasMore || unread !== undefined
        ? html`<button class="more" @click=${() => void this.#reading(() => tree.more(unread))}>${words.moreHosts(unread === undefined ? "" : hostName(unread.group.name))}</button>`
        : nothing}
    `;
  }

  #node(node: HostNode, at: number, most: number): TemplateResult {
    const { group, level, isOpen } = node;
    const name = visible(hostName(group.name), 200) || words.noUrl;
    return html`
      <div
        id="host-${at}"
        role="treeitem"
        class="item ${at === this.active ? "active" : ""}"
        aria-level=${level}
        aria-expanded=${group.isLeaf ? nothing : isOpen ? "true" : "false"}
        aria-selected=${this.store.library?.choice?.key === `host:${group.name}` ? "true" : "false"}
        data-at=${at}
      >
        <span class="name" dir="ltr" style="padding-inline-start: ${(level - 1) * 16}px">${name}</span>
        <span class="share"><i style="inline-size: ${(group.records / most) * 100}%"></i></span>
        <span class="number">${formatCount(group.records)}</span>
        <span class="number">${formatBytes(group.bytes)}</span>
      </div>
    `;
  }

  async #choose(at: number): Promise<void> {
    const tree = this.#tree;
    const node = tree?.shown[at];
    const { library } = this.store;
    if (tree === undefined || node === undefined || library === undefined) return;
    this.active = at;
    const { name, records } = node.group;
    const key = `host:${name}`;
    if (library.choice?.key === key) {
      library.choose(undefined);
      return;
    }
    try {
      const from = await tree.start(node);
      library.choose({ key, column: "url", from, count: records, what: hostName(name) === "" ? words.noUrl : words.ofHost(hostName(name)) });
    } catch {
      this.store.say(words.browseFailed);
    }
  }

  #toggle(node: HostNode, isOpen: boolean): void {
    if (isOpen) void this.#reading(() => this.#tree?.open(node) ?? Promise.resolve());
    else node.isOpen = false;
    this.requestUpdate();
  }

  #onClick(event: MouseEvent): void {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-at]") : null;
    const node = this.#tree?.shown[Number(item?.dataset["at"])];
    if (item === null || node === undefined) return;
    const name = item.querySelector(".name");
    // The triangle stands before the name, as far in as its level is deep.
    const isOnTriangle = name !== null && event.clientX - name.getBoundingClientRect().left < (node.level - 1) * 16 + 16;
    if (isOnTriangle && !node.group.isLeaf) this.#toggle(node, !node.isOpen);
    else void this.#choose(Number(item.dataset["at"]));
  }

  #onKey(event: KeyboardEvent): void {
    const shown = this.#tree?.shown ?? [];
    const node = shown[this.active];
    const last = shown.length - 1;
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: last, PageDown: this.active + 6, PageUp: this.active - 6 }[event.key];
    if (to !== undefined) this.#go(Math.max(0, Math.min(to, last)));
    else if (node === undefined) return;
    else if (event.key === "ArrowRight" && !node.group.isLeaf && !node.isOpen) this.#toggle(node, true);
    else if (event.key === "ArrowRight" && node.isOpen) this.#go(Math.min(this.active + 1, last));
    else if (event.key === "ArrowLeft" && node.isOpen) this.#toggle(node, false);
    else if (event.key === "ArrowLeft" && node.parent !== undefined) this.#go(shown.indexOf(node.parent));
    else if (event.key === "Enter" || event.key === " ") void this.#choose(this.active);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }

  #go(to: number): void {
    this.active = to;
    void this.updateComplete.then(() => this.renderRoot.querySelector(".active")?.scrollIntoView({ block: "nearest" }));
  }
}

customElements.define("stackroom-hosts", Hosts);
