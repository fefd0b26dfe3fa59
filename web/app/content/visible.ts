/**
 * Makes archived one-line text (URLs, header values, file names) safe to look at:
 * control, bidirectional and invisible characters become visible marks, and the length is bounded.
 * Does not make text safe as markup; text reaches the page only as text nodes.
 */

// C0, DEL, C1; soft hyphen; Arabic letter mark; zero-width and directional marks; line separators, embeddings,
// overrides; invisible operators, isolates; byte order mark; interlinear marks; tags. Lone surrogates come last.
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function mark(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
}

/** Longest text that a single line of the page is given; layout of a longer one costs frames. */
export const lineCharsMax = 2_000;

/** The text with nothing hidden in it, cut in the middle where it is too long. */
export function visible(text: string, charsMax = lineCharsMax): string {
  let shown = text;
  if (text.length > charsMax) {
    const tail = Math.min(200, Math.floor(charsMax / 4));
    const left = text.length - charsMax;
    shown = `${text.slice(0, charsMax - tail)} \u2026 ${left} \u2026 ${text.slice(text.length - tail)}`;
  }
  return shown.replace(hidden, mark);
}
