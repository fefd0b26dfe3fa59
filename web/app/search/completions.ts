/** How what is being typed may go on: columns, the values that there are with their counts, URLs. */
import type { SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCount } from "../format.js";
import { languageName } from "../library/languages.js";
import type { Store } from "../state.js";
import { isAddress, termAt, written, type Term } from "./terms.js";
import { words } from "./words.js";

export interface Completion {
  readonly label: string;
  readonly detail: string;
  /** The whole text with it, and where one goes on to write. */
  readonly text: string;
  readonly place: number;
}

const shownMax = 8;
/** A search that takes longer is not waited for. */
const turnsMax = 5;
const rowsLooked = 60;

/** Facets that have the values of a column. */
const fieldOf: Readonly<Record<string, (value: string) => string>> = {
  host: () => "host",
  domain: () => "host",
  mime: () => "mime",
  status: () => "status",
  type: () => "type",
  lang: () => "lang",
  ext: () => "ext",
  date: (value) => (/^\d{4}-/.test(value) ? "month" : "year"),
};

export async function completionsOf(text: string, place: number, store: Store, index: SharedIndex | undefined): Promise<Completion[]> {
  if (isAddress(text)) return addresses(text, store);
  const term = termAt(text, place);
  if (term === undefined || index === undefined) return [];
  return term.column === undefined ? columns(text, term) : values(text, term, term.column, index);
}

function columns(text: string, term: Term): Completion[] {
  const begun = term.value.toLowerCase();
  if (begun === "" || text[term.from + (term.isNegated ? 1 : 0)] === '"') return [];
  return Object.entries(words.columns)
    .filter(([name]) => name.startsWith(begun))
    .map(([name, detail]) => put(text, term, name, name, detail, false));
}

async function values(text: string, term: Term, column: string, index: SharedIndex): Promise<Completion[]> {
  const { value } = term;
  const field = fieldOf[column]?.(value);
  if (field === undefined || /^[/<>]|\.\.|\*/.test(value)) return [];
  const rest = `${text.slice(0, term.from)} ${text.slice(term.to)}`;
  const found = (await facet(index, rest, field, value)) ?? (await facet(index, "", field, value)) ?? [];
  return found
    .filter((one) => one.value !== "" && one.value !== value)
    .slice(0, shownMax)
    .map((one) => {
      const name = column === "lang" ? `${one.value} \u00b7 ${languageName(one.value)}` : one.value;
      return put(text, term, `${column}:${written(one.value)}`, visible(name, 120), formatCount(one.count), true);
    });
}

/** Undefined where the rest of the query makes no sense, or takes too long. */
async function facet(index: SharedIndex, query: string, field: string, prefix: string): Promise<readonly { readonly value: string; readonly count: number }[] | undefined> {
  try {
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const { isDone, facets } = await index.search({ query, facets: [{ field, prefix, count: shownMax + 1 }] });
      if (isDone) return facets[0]?.values;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Of records whose URL holds what is typed. */
async function addresses(text: string, store: Store): Promise<Completion[]> {
  const typed = text.trim();
  const rows = await store.rows?.source.rows(0, rowsLooked, { signal: new AbortController().signal }).catch(() => []);
  const urls = new Set((rows ?? []).map(({ url }) => url).filter((url) => url.toLowerCase().includes(typed.toLowerCase()) && url !== typed));
  return [...urls].slice(0, shownMax).map((url) => ({ label: visible(url, 300), detail: "", text: url, place: url.length }));
}

function put(text: string, term: Term, said: string, label: string, detail: string, isWhole: boolean): Completion {
  const before = `${text.slice(0, term.from)}${text.startsWith("-", term.from) ? "-" : ""}${said}`;
  const after = text.slice(term.to);
  const gap = isWhole && !/^\s/.test(after) ? " " : "";
  return { label, detail, text: `${before}${gap}${after}`, place: before.length + (isWhole ? 1 : 0) };
}
