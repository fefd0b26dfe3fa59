/** How the list below the field looks, and what is wrong with a query. */
import { css } from "lit";

export const popup = css`
  .suggest {
    position: absolute;
    z-index: 8;
    inset-block-start: calc(100% + 3px);
    inset-inline: 0;
    display: grid;
    gap: 3px;
  }
  .suggest:not(:has(:not([hidden]))) {
    display: none;
  }
  .suggest > [role="listbox"],
  .suggest > p {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--paper-raised);
    box-shadow: var(--shadow);
  }
  .suggest [role="listbox"] {
    max-block-size: min(60vh, 420px);
    padding: 4px 0;
    overflow: auto;
  }
  .suggest [role="listbox"][hidden] {
    display: none;
  }
  .suggest [role="option"] {
    display: flex;
    align-items: center;
    gap: 10px;
    min-block-size: 28px;
    padding-inline: 12px 6px;
    cursor: default;
  }
  .suggest [role="option"] span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    unicode-bidi: isolate;
  }
  .suggest [role="option"] small {
    flex: none;
    margin-inline-start: auto;
    padding-inline-end: 6px;
    color: var(--ink-soft);
    font-size: var(--text-small);
    font-variant-numeric: tabular-nums;
  }
  .suggest [role="option"] b {
    display: grid;
    flex: none;
    place-content: center;
    margin-inline-start: auto;
    inline-size: 24px;
    block-size: 24px;
    border-radius: var(--radius);
    color: var(--ink-soft);
  }
  .suggest [role="option"] b:hover {
    background: var(--paper-hover);
  }
  .suggest b svg {
    inline-size: 13px;
    block-size: 13px;
  }
  .suggest [role="option"]:hover {
    background: var(--paper-hover);
  }
  .suggest [role="option"].active {
    background: var(--accent-wash);
    box-shadow: inset 3px 0 var(--accent);
  }
  .suggest .group {
    padding: 5px 12px 2px;
    color: var(--ink-soft);
    font-size: var(--text-small);
  }
  .suggest p {
    position: relative;
    padding: 6px 12px;
    font-size: var(--text-small);
    overflow-wrap: anywhere;
  }
  .suggest .said {
    color: var(--ink-soft);
  }
  .suggest .wrong {
    border-color: var(--bad);
    background: var(--bad-wash);
    color: var(--ink);
  }
  /* Points at the letter. */
  .suggest .wrong i {
    position: absolute;
    inset-block-start: -6px;
    inline-size: 10px;
    block-size: 10px;
    margin-inline-start: -5px;
    border: 1px solid var(--bad);
    border-inline-end: 0;
    border-block-end: 0;
    background: var(--bad-wash);
    transform: rotate(45deg);
  }
  .field input[aria-invalid="true"] {
    border-color: var(--bad);
  }
  @media (max-width: 699px) {
    .suggest {
      position: fixed;
      inset-block-start: calc(var(--bar-height) + 1px);
      inset-inline: 6px;
    }
    .suggest .wrong i {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .suggest [role="option"].active {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    .suggest [role="option"].active small {
      color: HighlightText;
    }
  }
`;
