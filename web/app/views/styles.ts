/** Styles that several elements share: buttons, fields, tables of facts, and what only a screen reader finds. */
import { css } from "lit";

export const base = css`
  :host {
    box-sizing: border-box;
    font: var(--text) / 1.45 var(--sans);
    color: var(--ink);
  }
  :host([hidden]) {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: inherit;
  }
  :focus-visible {
    outline: 2px solid var(--focus);
    outline-offset: 1px;
  }
  .hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  h1,
  h2,
  h3,
  p {
    margin: 0;
  }
`;

export const controls = css`
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.4em;
    min-block-size: 28px;
    padding: 0 0.7em;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--paper-raised);
    color: var(--ink);
    font: inherit;
    line-height: 1;
    white-space: nowrap;
    cursor: pointer;
    transition: background var(--quick), border-color var(--quick);
  }
  button:hover:not(:disabled) {
    background: var(--paper-hover);
    border-color: var(--accent-line);
  }
  button:disabled {
    color: var(--ink-faint);
    cursor: default;
    opacity: 0.6;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--accent-ink);
    font-weight: 600;
  }
  button.primary:hover:not(:disabled) {
    background: var(--accent-strong);
    border-color: var(--accent-strong);
  }
  button.quiet {
    border-color: transparent;
    background: transparent;
  }
  button.quiet:hover:not(:disabled),
  button.quiet[aria-expanded="true"] {
    background: var(--paper-hover);
    border-color: var(--line);
  }
  button.icon {
    min-inline-size: 28px;
    padding: 0 0.35em;
  }
  button.link {
    min-block-size: 0;
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 2px;
  }
  button.link:hover:not(:disabled) {
    background: none;
    color: var(--accent-strong);
  }
  button[role^="menuitem"] {
    display: flex;
    justify-content: space-between;
    gap: 1.5em;
    inline-size: 100%;
    min-block-size: 30px;
    padding: 0 10px;
    border: 0;
    background: none;
    text-align: start;
  }
  button[role^="menuitem"]:is(:hover, :focus-visible):not(:disabled) {
    background: var(--accent-wash);
    outline: none;
  }
  button[role^="menuitem"] small {
    color: var(--ink-soft);
    font-size: var(--text-small);
  }
  @media (forced-colors: active) {
    button[role^="menuitem"]:is(:hover, :focus-visible) {
      outline: 2px solid Highlight;
    }
  }
  input,
  select {
    min-block-size: 28px;
    padding: 0 0.6em;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--paper-raised);
    color: var(--ink);
    font: inherit;
  }
  input::placeholder {
    color: var(--ink-faint);
    opacity: 1;
  }
  input:focus-visible {
    outline-offset: -1px;
  }
  kbd {
    display: inline-block;
    min-inline-size: 1.6em;
    padding: 0.1em 0.4em;
    border: 1px solid var(--line);
    border-block-end-width: 2px;
    border-radius: 4px;
    background: var(--paper-raised);
    font: var(--text-small) / 1.3 var(--mono);
    text-align: center;
  }
  svg {
    inline-size: 16px;
    block-size: 16px;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.7;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
`;

/** A message that fills its pane: what is loading, missing or wrong. */
export const messages = css`
  .message {
    display: grid;
    gap: 0.5rem;
    justify-items: start;
    max-inline-size: 62ch;
    padding: 1rem 1.1rem;
    color: var(--ink-soft);
    overflow-wrap: anywhere;
  }
  .message strong {
    color: var(--ink);
  }
  .message code,
  .code {
    color: var(--ink-faint);
    font: var(--text-small) / 1.4 var(--mono);
  }
  .message.bad {
    border-inline-start: 3px solid var(--bad);
    margin: 0.9rem;
    background: var(--bad-wash);
    color: var(--ink);
  }
`;

/** What was found to be good or bad, and lists of what it is about. */
export const verdicts = css`
  ul {
    margin: 0;
    padding-inline-start: 1.2em;
  }
  .soft {
    color: var(--ink-soft);
  }
  .bad {
    color: var(--bad);
    font-weight: 600;
  }
  .good {
    color: var(--accent);
    font-weight: 600;
  }
`;
