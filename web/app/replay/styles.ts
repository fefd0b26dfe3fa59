/** How the bar of an archived page looks, and the room that the page has. */
import { css } from "lit";

export const styles = css`
  :host {
    display: block;
    min-inline-size: 0;
    min-block-size: 0;
    background: var(--paper);
  }
  section {
    display: flex;
    flex-direction: column;
    block-size: 100%;
    min-block-size: 0;
  }
  .bar,
  .banner {
    display: flex;
    align-items: center;
    gap: 2px;
    padding: 5px 8px;
    border-block-end: 1px solid var(--line);
    background: var(--paper-bar);
  }
  .banner {
    flex-wrap: wrap;
    gap: 2px 12px;
    padding-block: 3px;
    color: var(--ink-soft);
    font-size: var(--text-small);
    font-variant-numeric: tabular-nums;
  }
  .banner p {
    flex: 1 1 16em;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .banner .way {
    flex-basis: 100%;
    text-wrap: pretty;
  }
  .title {
    color: var(--ink);
    unicode-bidi: isolate;
  }
  .title::before {
    content: "\\00b7\\00a0 ";
  }
  .captures {
    display: flex;
    align-items: center;
    gap: 2px;
  }
  .banner button {
    min-block-size: 24px;
    font-size: var(--text-small);
  }
  form {
    display: flex;
    flex: 1;
    gap: 4px;
    min-inline-size: 0;
    margin-inline: 4px;
  }
  input[name="url"] {
    flex: 1 1 12em;
    min-inline-size: 0;
  }
  input[name="when"] {
    flex: 0 1 13em;
    min-inline-size: 5em;
    font-variant-numeric: tabular-nums;
  }
  .page {
    flex: 1;
    min-block-size: 0;
    background: #fff;
  }
  .page iframe {
    display: block;
    inline-size: 100%;
    block-size: 100%;
    border: 0;
    color-scheme: light;
  }
  stackroom-resources {
    flex: 0 0 auto;
    max-block-size: 40%;
  }
  @media (max-width: 699px) {
    .wide {
      display: none;
    }
    .bar {
      flex-wrap: wrap;
    }
    form {
      order: 9;
      flex-basis: 100%;
      margin: 3px 0 0;
    }
    .bar stackroom-menu {
      margin-inline-start: auto;
    }
  }
  /* The day is seen, and the time by scrolling: the address needs the room. */
  @media (max-width: 479px) {
    input[name="when"] {
      flex-basis: 7.5em;
    }
  }
`;
