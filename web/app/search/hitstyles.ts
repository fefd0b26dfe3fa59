/** How the list of hits looks. */
import { css } from "lit";

export const styles = css`
  :host {
    display: flex;
    flex-direction: column;
    min-inline-size: 0;
    background: var(--paper);
  }
  .bar {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 4px 8px 4px 12px;
    border-block-end: 1px solid var(--line-soft);
  }
  .count {
    min-inline-size: 0;
    color: var(--ink-soft);
    font-size: var(--text-small);
    font-variant-numeric: tabular-nums;
  }
  .ways {
    display: flex;
    flex: 0 1 auto;
    gap: 4px;
    min-inline-size: 0;
    margin-inline-start: auto;
  }
  .bar select,
  .bar button {
    min-inline-size: 0;
    min-block-size: 26px;
    font-size: var(--text-small);
  }
  .bar select {
    flex: 0 1 auto;
    max-inline-size: 140px;
    padding: 0 4px;
    text-overflow: ellipsis;
  }
  .bar .icon {
    flex: none;
    min-inline-size: 26px;
  }
  .bar [aria-pressed="true"] {
    color: var(--accent);
  }
  .rest {
    padding: 6px 12px;
    border-block-end: 1px solid var(--line-soft);
    background: var(--warn-wash);
    font-size: var(--text-small);
    overflow-wrap: anywhere;
  }
  .both {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-block-size: 0;
  }
  .beside {
    flex-direction: row-reverse;
  }
  stackroom-facets {
    flex: none;
    max-block-size: 45%;
    border-block-end: 1px solid var(--line);
  }
  .beside stackroom-facets {
    inline-size: 208px;
    max-block-size: none;
    border-block-end: 0;
    border-inline-start: 1px solid var(--line-soft);
  }
  #list {
    position: relative;
    flex: 1;
    min-block-size: 0;
    min-inline-size: 0;
    overflow: hidden auto;
    overflow-anchor: none;
    contain: strict;
    transition: opacity var(--quick);
  }
  /* What was found for what is asked no more. */
  #list.old {
    opacity: 0.6;
  }
  #list:focus-visible {
    outline: none;
  }
  #body {
    position: relative;
    overflow: hidden;
  }
  .item {
    position: absolute;
    inset-inline: 0;
    display: flex;
    align-items: center;
    gap: 10px;
    padding-inline: 12px;
    border-block-end: 1px solid var(--line-soft);
    cursor: default;
    contain: strict;
  }
  .item:hover {
    background: var(--paper-hover);
  }
  #list:focus-visible .active {
    outline: 2px solid var(--focus);
    outline-offset: -2px;
  }
  .item.open {
    background: var(--accent-wash);
    box-shadow: inset 3px 0 var(--accent);
  }
  .ghost {
    inline-size: 40%;
    block-size: 8px;
    border-radius: 4px;
    background: var(--line-soft);
  }
  stackroom-thumb {
    flex: none;
    inline-size: 52px;
    block-size: 40px;
  }
  .said {
    display: grid;
    flex: 1;
    gap: 1px;
    min-inline-size: 0;
  }
  .title,
  .where {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
  }
  .title {
    color: var(--ink);
    text-align: start;
  }
  .where {
    color: var(--ink-soft);
    font-size: var(--text-small);
    font-variant-numeric: tabular-nums;
  }
  .same {
    margin-inline-end: 6px;
    padding: 0 5px;
    border: 1px solid var(--line);
    border-radius: 8px;
    font-weight: 400;
  }
  .passages {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow: hidden;
    color: var(--ink-soft);
    font-size: var(--text-small);
    line-height: 1.4;
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  .passages i {
    padding-inline: 0.5em;
    color: var(--ink-faint);
    font-style: normal;
  }
  mark {
    border-radius: 2px;
    background: var(--warn-wash);
    color: var(--ink);
    font-weight: 600;
  }
  @media (forced-colors: active) {
    .item.open {
      outline: 1px solid Highlight;
      outline-offset: -1px;
    }
    mark {
      background: Mark;
      color: MarkText;
    }
  }
`;
