/** How lists of names with counts look: a bar behind the name as long as its share. */
import { css } from "lit";

export const counted = css`
  :host {
    display: block;
    overflow: auto;
    outline: none;
  }
  [role="listbox"],
  [role="tree"] {
    /* Wider than this, the numbers are too far from the names. */
    max-inline-size: 760px;
    padding: 4px 0;
    outline: none;
  }
  .item {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto 84px 76px;
    align-items: center;
    gap: 12px;
    block-size: 26px;
    padding-inline: 12px;
    cursor: default;
    font-variant-numeric: tabular-nums;
  }
  .item:hover {
    background: var(--paper-hover);
  }
  .item.active {
    box-shadow: inset 3px 0 var(--accent-line);
  }
  .item[aria-selected="true"] {
    background: var(--accent-wash);
    box-shadow: inset 3px 0 var(--accent);
  }
  :is([role="listbox"], [role="tree"]):focus-visible .item.active {
    outline: 2px solid var(--focus);
    outline-offset: -2px;
  }
  .name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
  }
  .share {
    inline-size: clamp(40px, 14vw, 160px);
    block-size: 6px;
    border-radius: 3px;
    background: var(--line-soft);
  }
  .share i {
    display: block;
    block-size: 100%;
    min-inline-size: 2px;
    border-radius: 3px;
    background: var(--accent-line);
  }
  .number {
    color: var(--ink-soft);
    text-align: end;
  }
  @media (max-width: 699px) {
    .item {
      grid-template-columns: minmax(0, 1fr) auto auto;
    }
    .share {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .item[aria-selected="true"] {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    .item[aria-selected="true"] .number {
      color: HighlightText;
    }
    .share i {
      background: CanvasText;
    }
  }
`;
