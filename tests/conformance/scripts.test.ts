/** Scripts at hand and in the corpus, edited by the engine and by a tree of them with scopes: the same text comes out, and it is a script again. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openArchive } from "stackroom";
import initRewrite, { needs_editing } from "../../web/lib/wasm/rewrite.js";
import initScripts, { ScriptEditor } from "../../web/lib/wasm/scripts.js";
import { type SourceType, editedByTree, treeOf } from "./scripttree.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const corpus = process.env["STACKROOM_CORPUS"] ?? join(root, "../shared/corpus");
const isThere = existsSync(`${corpus}/files`);
const isDeep = process.env["STACKROOM_DEEP"] === "1";
/** Text that a run of the usual tests reads: some seconds. */
const SAMPLE_LETTERS = 2_000_000;

const map = (url: string): string | undefined => {
  const rest = /^(?:https?:)?\/\/(.*)$/s.exec(url)?.[1];
  return rest === undefined ? undefined : `http://r.test/${rest}`;
};

let editor: ScriptEditor;

beforeAll(async () => {
  const wasm = (name: string): { module_or_path: Buffer } => ({ module_or_path: readFileSync(new URL(`../../web/lib/wasm/${name}_bg.wasm`, import.meta.url)) });
  await Promise.all([initScripts(wasm("scripts")), initRewrite(wasm("rewrite"))]);
  editor = new ScriptEditor({ replay_url: map });
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });

function isTree(source: string, goal: SourceType): boolean {
  try {
    treeOf(source, goal);
    return true;
  } catch {
    return false;
  }
}

/** What the engine and a tree make of a script; none where it is none, which must then be left as it is. */
function compared(source: string): { ours: string; theirs: string; goal: SourceType } | undefined {
  const goal = (["script", "module"] as const).find((goal) => isTree(source, goal));
  const ours = editor.edit(source, goal ?? "script");
  if (goal === undefined) return undefined;
  if (ours !== undefined) expect(needs_editing(Buffer.from(source))).toBe(true);
  // It need not be told that a script is a module.
  if (goal === "module") expect(editor.edit(source, "script")).toBe(ours);
  return { ours: ours ?? source, theirs: editedByTree(source, goal, map), goal };
}

/** Names of scripts that are not edited as a tree of them says, and how many were read, changed, and refused by others. */
function judged(scripts: Iterable<[string, string]>): { differing: string[]; read: number; edited: number; refused: number } {
  const result = { differing: [] as string[], read: 0, edited: 0, refused: 0 };
  for (const [name, source] of scripts) {
    const both = compared(source);
    if (!both) {
      result.refused++;
      continue;
    }
    result.read++;
    if (both.ours !== source) result.edited++;
    if (both.ours !== both.theirs || (both.ours !== source && !isTree(both.ours, both.goal))) result.differing.push(name);
  }
  return result;
}

test("scripts of all packages at hand are edited as trees of them say", () => {
  const paths = filesBelow(join(root, "node_modules")).filter((path) => /\.[cm]?js$/.test(path));
  let state = 4_711;
  const order = new Map(paths.map((path) => [path, (state = (Math.imul(state, 1664525) + 1013904223) >>> 0)]));
  paths.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const scripts = new Map<string, string>();
  let letters = 0;
  for (const path of paths) {
    const source = readFileSync(path, "utf8");
    if (source.includes("\ufffd") || (!isDeep && source.length > SAMPLE_LETTERS / 2)) continue;
    scripts.set(path.slice(root.length), source);
    letters += source.length;
    if (!isDeep && letters > SAMPLE_LETTERS) break;
  }
  const { differing, read, edited } = judged(scripts);
  expect(differing).toEqual([]);
  expect(read).toBeGreaterThan(50);
  expect(edited).toBeGreaterThan(0);
});

/** Pieces that mean something to a parser. */
const PIECES = [
  ..."( ) [ ] { } ; , : ? = => . ?. ... + ++ - / * ! < ` ${ in of let const var async await yield function function* class static get set extends if else for while do return with switch case".split(" "),
  ..."default: try catch finally new super this import export typeof delete void throw ({ }) () {} [] /a/ /[/]/g `a` 'location' 1 .5 a b #a label: break continue null eval && ?? ** += a.b".split(" "),
  ..."location top location top location top location: top: .location .top .postMessage( ['location'] ['top'] ?.location ?.[ window self parent document {location} {location,top} {top=1} {top:a}".split(" "),
  ..."=location =top (location) (top) location=> top=> (location)=> async_location=> function_location( var_location let_top catch(top) import( export_default from 'x' as <!-- --> // /* */ new_a. for(let_top_of".replaceAll("_", "\t").split(" "),
  ...["for(location in", "new.target", "\"use strict\";", "\n", "\n", "\n", " "],
];

test("made-up scripts are edited as trees of them say", () => {
  const count = isDeep ? 2_000_000 : 20_000;
  let state = 12_345;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const differing: string[] = [];
  let read = 0;
  for (let n = 0; n < count; n++) {
    const source = Array.from({ length: 1 + below(9) }, () => PIECES[below(PIECES.length)]).join(below(2) === 0 ? "" : " ");
    for (const goal of ["script", "module"] as const) {
      if (!isTree(source, goal)) continue;
      read++;
      const ours = editor.edit(source, goal);
      if ((ours ?? source) !== editedByTree(source, goal, map) || (ours !== undefined && !needs_editing(Buffer.from(source)))) differing.push(`${goal} ${source}`);
    }
  }
  expect(differing).toEqual([]);
  expect(read).toBeGreaterThan(count / 20);
});

/** The scripts of a page. */
function inlineScripts(page: string): string[] {
  const elements = page.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script/gi);
  return [...elements].filter(([, attributes, text]) => !/\bsrc\s*=|type\s*=\s*["']?(?!text\/javascript|application\/(?:x-)?javascript|module)/i.test(attributes ?? "") && text?.trim()).map(([, , text]) => text ?? "");
}

async function corpusScripts(): Promise<Map<string, string>> {
  const scripts = new Map<string, string>();
  const known = new Set<string>();
  let letters = 0;
  const add = (name: string, text: string): void => {
    if (known.has(text) || text.includes("\ufffd")) return;
    known.add(text);
    letters += text.length;
    scripts.set(name, text);
  };
  for (const path of filesBelow(`${corpus}/files`)) {
    if (!isDeep && letters > SAMPLE_LETTERS) break;
    if (statSync(path).size === 0 || !/\.(?:w?arc|har|wacz|wbn|zip|tar|gz|zst)$/.test(path)) continue;
    const archive = await openArchive(path).catch(() => undefined);
    if (!archive) continue;
    await archive.indexed.catch(() => {});
    for await (const row of archive.records()) {
      const isScript = /javascript|ecmascript/.test(row.mime ?? "");
      if ((!isScript && row.mime !== "text/html") || row.type !== "response" || row.size === 0) continue;
      const body = await archive.bytes(row, "body", { limit: 4 << 20 }).catch(() => undefined);
      if (!body) continue;
      const text = new TextDecoder().decode(body);
      const name = `${path.slice(corpus.length)} ${row.url}`;
      if (isScript) add(name, text);
      else inlineScripts(text).forEach((script, n) => add(`${name} script ${n}`, script));
    }
    await archive.close();
  }
  return scripts;
}

describe.runIf(isThere)("scripts of the corpus", () => {
  test("are edited as trees of them say", async () => {
    const scripts = await corpusScripts();
    const { differing, read, edited, refused } = judged(scripts);
    expect(differing).toEqual([]);
    if (isDeep) console.log(`${read} scripts of the corpus read, ${edited} edited, ${refused} refused by both`);
    expect(edited).toBeGreaterThan(0);
  });
});
