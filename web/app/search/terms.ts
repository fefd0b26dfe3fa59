/**
 * The text of a query, as far as the viewer changes it: which terms are in it and where, one added or taken away.
 * What is wrong with a query, and what it means, the engine says.
 */

export interface Term {
  readonly from: number;
  /** Behind the last letter. */
  readonly to: number;
  /** In lower case; none where a word or a phrase is asked for. */
  readonly column?: string | undefined;
  /** Without its quotes. */
  readonly value: string;
  readonly isNegated: boolean;
  /** Brackets around it. */
  readonly depth: number;
}

const columnOf = /^([A-Za-z][\w.-]*):/;
const valueOf = /^(?:"((?:\\.|[^"\\])*)"?|([^\s()"][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)?)/;
const regexOf = /^\/(?!\/)(?:\\.|[^/\\])*\/?i?/;
const isKeyword = /^(?:and|or|not)$/i;

/** Terms in their order; a piece that makes no sense is taken for a word. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  let depth = 0;
  let isNegated = false;
  for (let at = 0; at < text.length; ) {
    const letter = text[at] ?? "";
    if (/[\s()]/.test(letter)) {
      depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
      at += 1;
      continue;
    }
    const hasSign = letter === "-" && /[^\s)]/.test(text[at + 1] ?? "");
    const behindSign = at + (hasSign ? 1 : 0);
    const column = columnOf.exec(text.slice(behindSign))?.[1];
    const start = behindSign + (column === undefined ? 0 : column.length + 1);
    const rest = text.slice(start);
    const regex = column === undefined ? null : regexOf.exec(rest);
    const [whole = "", quoted, bare = ""] = regex ?? valueOf.exec(rest) ?? [];
    const to = Math.max(start + whole.length, at + 1);
    const word = text.slice(at, to);
    if (isKeyword.test(word)) {
      isNegated = /^not$/i.test(word);
      at = to;
      continue;
    }
    const value = regex === null ? (quoted?.replace(/\\(.)/g, "$1") ?? bare) : whole;
    terms.push({ from: at, to, column: column?.toLowerCase(), value, isNegated: hasSign || isNegated, depth });
    isNegated = false;
    at = to;
  }
  return terms;
}

/** The term that somebody at this place of the text is writing. */
export function termAt(text: string, place: number): Term | undefined {
  return termsOf(text).find(({ from, to }) => from < place && place <= to);
}

/** A value as it is written behind a column. */
export function written(value: string): string {
  return value !== "" && /^[^\s()"*/<>{}-][^\s()"*]*$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** What is asked of a column; of no value, that there is none. */
export function termOf(column: string, value: string, isNegated = false): string {
  const isOfNone = value === "";
  return `${isNegated !== isOfNone ? "-" : ""}${column}:${isOfNone ? "*" : written(value)}`;
}

const asks = (term: Term, column: string, value: string, isNegated: boolean): boolean => {
  const isOfNone = value === "";
  return term.depth === 0 && term.column === column && term.value === (isOfNone ? "*" : value) && term.isNegated === (isNegated !== isOfNone);
};

/** Whether all that is found has this value, or none of it has. */
export function isAsked(text: string, column: string, value: string, isNegated = false): boolean {
  return !hasChoice(text) && termsOf(text).some((term) => asks(term, column, value, isNegated));
}

/** Whether one of several things is enough. */
function hasChoice(text: string): boolean {
  const terms = termsOf(text);
  const between = terms.map(({ depth }, at) => (depth === 0 ? text.slice(terms[at - 1]?.to ?? 0, terms[at]?.from) : ""));
  return between.some((piece) => /(?:^|[\s)])or(?=$|[\s(])/i.test(piece));
}

const tidied = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:and )+|(?: and)+$/gi, "");

function without(text: string, isUnwanted: (term: Term) => boolean): string {
  let rest = text;
  for (const { from, to } of termsOf(text).filter(isUnwanted).reverse()) {
    // The sign may be a word that stands before it.
    const before = rest.slice(0, from).replace(/\bnot\s+$/i, "");
    rest = `${before}${rest.slice(to)}`;
  }
  return tidied(rest);
}

function joined(text: string, term: string): string {
  if (text.trim() === "") return term;
  return `${hasChoice(text) ? `(${text.trim()})` : text.trim()} ${term}`;
}

/** The query with this asked for too; without it, where it was. */
export function toggled(text: string, column: string, value: string, isNegated = false): string {
  if (isAsked(text, column, value, isNegated)) return without(text, (term) => asks(term, column, value, isNegated));
  const rest = hasChoice(text) ? text : without(text, (term) => asks(term, column, value, !isNegated));
  return joined(rest, termOf(column, value, isNegated));
}

/** The query with this alone asked of a column; nothing, where there is no value. */
export function replaced(text: string, column: string, value: string | undefined): string {
  const rest = hasChoice(text) ? text : without(text, (term) => term.depth === 0 && term.column === column && !term.isNegated);
  return value === undefined ? rest : joined(rest, `${column}:${value}`);
}

/** Words, and texts in quotes, that are looked for in what documents say. */
export function wordsOf(text: string): string[] {
  return termsOf(text)
    .filter(({ column, isNegated, value }) => !isNegated && value !== "" && !/^\/.*\/i?$/s.test(value) && (column === undefined || column === "text" || column === "body" || column === "title"))
    .map(({ value }) => value);
}

/** A URL, or the beginning or a piece of one: not what is looked for in texts. */
export function isAddress(text: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s:"()]*\/|(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?::\d+)?(?:[/?#]|$))\S*$/i.test(text.trim());
}
