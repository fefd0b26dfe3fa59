/** How the record list looks: columns that give way to the URL as the list narrows, and two-line rows on a phone. */
import { css } from "lit";

export const grid = css`
  :host {
    display: flex;
    flex-direction: column;
    min-inline-size: 0;
    min-block-size: 0;
    background: var(--paper);
    container-type: inline-size;
  }
  .top {
    display: flex;
    align-items: baseline;
    gap: 0.8rem;
    /* With the bar above, a multiple of 4: the rows below start on a whole device pixel at every usual scale. */
    block-size: 38px;
    padding: 8px 12px 0;
    border-block-end: 1px solid var(--line);
  }
  h2 {
    font: 600 var(--text-large) / 1.4 var(--serif);
  }
  .count {
    overflow: hidden;
    color: var(--ink-soft);
    text-overflow: ellipsis;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  /* As the buttons at the end of the line. */
  .top > .icon {
    flex: none;
    align-self: flex-start;
    min-block-size: 26px;
    margin-block-start: -2px;
  }
  .top > .link {
    flex: none;
  }
  @container (max-width: 479px) {
    .count:has(+ .link) {
      display: none;
    }
  }
  stackroom-pages,
  .instead {
    flex: 1;
    min-block-size: 0;
  }
  #grid[hidden] {
    display: none;
  }
  .choices {
    display: flex;
    flex: none;
    align-self: flex-start;
  }
  .choices + .count {
    align-self: flex-start;
    line-height: 24px;
  }
  .list-choice {
    min-block-size: 24px;
    padding: 0 9px;
    border-radius: 0;
    font-size: var(--text-small);
  }
  .list-choice:first-child {
    border-radius: var(--radius) 0 0 var(--radius);
  }
  .list-choice + .list-choice {
    margin-inline-start: -1px;
  }
  .list-choice:last-child {
    border-radius: 0 var(--radius) var(--radius) 0;
  }
  .list-choice[aria-pressed="true"] {
    background: var(--accent-wash);
    color: var(--ink);
    font-weight: 600;
  }
  .top select {
    min-inline-size: 0;
    max-inline-size: min(340px, 50%);
    min-block-size: 24px;
    margin-inline-start: auto;
    align-self: flex-start;
    padding: 0 4px;
    font-size: var(--text-small);
    text-overflow: ellipsis;
  }
  .failed-rows {
    padding: 6px 12px;
    background: var(--bad-wash);
  }
  #grid {
    position: relative;
    flex: 1;
    min-block-size: 0;
    overflow: hidden auto;
    overflow-anchor: none;
    contain: strict;
    outline: none;
    scrollbar-gutter: stable;
  }
  #body {
    position: relative;
    overflow: clip;
  }
  #window {
    position: absolute;
    inset-block-start: 0;
    inset-inline: 0;
    will-change: transform;
  }
  .row {
    display: grid;
    grid-template-columns: 84px 48px minmax(110px, 0.35fr) 72px 142px minmax(160px, 1fr);
    align-items: center;
    block-size: 28px;
    padding-inline: 12px;
    column-gap: 12px;
    overflow: hidden;
    cursor: default;
    contain: strict;
  }
  .many .row {
    grid-template-columns: 84px 48px minmax(110px, 0.35fr) 72px 142px minmax(160px, 1fr) minmax(90px, 0.35fr);
  }
  .head {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    border-block-end: 1px solid var(--line);
    background: var(--paper-bar);
    color: var(--ink-soft);
    font-size: var(--text-small);
    font-weight: 600;
  }
  .cell {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .c0,
  .c2,
  .c4,
  .c6 {
    color: var(--ink-soft);
  }
  .head .cell {
    color: inherit;
  }
  .head .sorts {
    cursor: pointer;
  }
  .head .sorts:hover,
  .head [aria-sort] {
    color: var(--ink);
  }
  stackroom-arrange {
    flex: none;
    max-inline-size: 75%;
    margin-inline-start: auto;
    align-self: flex-start;
  }
  .top select + stackroom-arrange {
    margin-inline-start: 0;
  }
  stackroom-browse {
    flex: none;
  }
  .c1,
  .c3 {
    text-align: end;
  }
  .c5,
  .c6 {
    unicode-bidi: isolate;
  }
  .aside .c5 {
    color: var(--ink-soft);
  }
  .scheme,
  .none,
  .aside .none {
    color: var(--ink-faint);
  }
  .open :is(.scheme, .none) {
    color: var(--ink-soft);
  }
  .c1.moved {
    color: var(--moved);
  }
  .c1.missing {
    color: var(--warn);
    font-weight: 600;
  }
  .c1.failed {
    color: var(--bad);
    font-weight: 600;
  }
  .dot {
    display: inline-block;
    inline-size: 8px;
    block-size: 8px;
    margin-inline-end: 7px;
    border-radius: 2px;
    background: var(--kind-other);
  }
  .dot.document {
    background: var(--kind-document);
  }
  .dot.image {
    background: var(--kind-image);
  }
  .dot.style {
    background: var(--kind-style);
  }
  .dot.script {
    background: var(--kind-script);
  }
  .dot.data {
    background: var(--kind-data);
  }
  .row:not(.head) {
    border-block-end: 1px solid var(--line-soft);
  }
  .row:not(.head):hover {
    background: var(--paper-hover);
  }
  .row.picked .c0::before {
    content: "\\2713\\a0";
    color: var(--accent);
    font-weight: 600;
  }
  .row.picked,
  .row.picked:hover {
    background: var(--accent-wash);
  }
  .row.open {
    background: var(--accent-wash);
    box-shadow: inset 3px 0 var(--accent);
  }
  .row.open:hover {
    background: var(--accent-wash);
  }
  .row.active {
    box-shadow: inset 3px 0 var(--accent-line);
  }
  .row.open.active {
    box-shadow: inset 3px 0 var(--accent);
  }
  #grid:focus-visible .row.active {
    outline: 2px solid var(--focus);
    outline-offset: -2px;
  }
  .ghost {
    display: inline-block;
    inline-size: 70%;
    block-size: 8px;
    border-radius: 4px;
    background: var(--line-soft);
  }
  .message {
    position: sticky;
    inset-block-start: 40px;
  }

  @container (max-width: 860px) {
    .many .row,
    .row {
      grid-template-columns: 72px 48px minmax(96px, 0.4fr) 66px minmax(140px, 1fr);
    }
    .c4,
    .c6 {
      display: none;
    }
  }
  @container (max-width: 520px) {
    /* What was chosen has a line of its own; this too is a multiple of 4. */
    .chosen {
      flex-wrap: wrap;
      row-gap: 0;
      block-size: 74px;
    }
    .chosen stackroom-arrange {
      inline-size: 100%;
      max-inline-size: 100%;
    }
    /* The choice of a file begins another. */
    .top:has(> select) {
      flex-wrap: wrap;
      row-gap: 0;
      block-size: 74px;
    }
    .top.chosen:has(> select) {
      block-size: 110px;
    }
    .top > select {
      flex: 1 1 160px;
      max-inline-size: none;
      margin-inline-start: 0;
    }
  }
  @container (max-width: 580px) {
    .many .row,
    .row {
      grid-template-columns: 48px minmax(90px, 0.4fr) 66px minmax(140px, 1fr);
    }
    .c0 {
      display: none;
    }
  }

  .stacked .head {
    display: none;
  }
  .stacked .row:not(.head) {
    grid-template-columns: auto auto minmax(0, 1fr) auto auto;
    grid-template-rows: 22px 18px;
    align-content: center;
    column-gap: 8px;
    block-size: 48px;
  }
  .stacked .cell {
    display: block;
  }
  .stacked .c5 {
    grid-column: 1 / -1;
    grid-row: 1;
    font-size: 14px;
  }
  .stacked .c0,
  .stacked .c1,
  .stacked .c2,
  .stacked .c3,
  .stacked .c4 {
    grid-row: 2;
    font-size: var(--text-small);
    color: var(--ink-soft);
  }
  .stacked .c4,
  .stacked .c6 {
    display: none;
  }

  @media (forced-colors: active) {
    .row.open,
    .row.open:hover {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    .row.open .cell,
    .row.open :is(.scheme, .none) {
      color: HighlightText;
    }
    .dot {
      forced-color-adjust: none;
      background: CanvasText;
    }
  }
`;
