/** What a page says by the tree that parse5 makes of it: the same facts that the engine reads without a tree. */
import { parse, type DefaultTreeAdapterTypes as Tree } from "parse5";

export interface PageFacts {
  readonly title: string;
  readonly words: string[];
  readonly links: string[];
  readonly base: string;
}

const HTML = "http://www.w3.org/1999/xhtml";
const UNSEEN = new Set("script style noscript template iframe noframes noembed title textarea head".split(" "));
/** Elements at which a word ends. */
const APART = new Set(
  ("address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search section select summary table tbody tfoot thead tr ul xmp " +
    "td th button input textarea iframe object video audio svg math").split(" "),
);
const SOURCES = new Set("img source video audio embed track".split(" "));
// The engine takes the same for white space, by its own means.
const BLANKS = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/u;

const children = (node: Tree.Node): Tree.Node[] => ("childNodes" in node ? node.childNodes : []);

export function factsByTree(markup: string): PageFacts {
  const facts = { title: undefined as string | undefined, text: [] as string[], links: new Set<string>(), base: undefined as string | undefined };
  // By a stack of its own: pages are nested deeper than calls may be.
  const open: (Tree.Node | string)[] = [parse(markup)];
  let unseen = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === "seen") unseen--;
    else if (typeof node === "string") facts.text.push(node);
    else if (node.nodeName === "#text") {
      if (unseen === 0) facts.text.push((node as Tree.TextNode).value);
    } else if ("tagName" in node) {
      const isHtml = node.namespaceURI === HTML;
      const gap = (isHtml ? APART.has(node.tagName) : /^(?:svg|math|text|title|desc)$/.test(node.tagName)) ? " " : "";
      const isHead = isHtml && node.tagName === "head";
      const isUnseen = !isHead && (isHtml ? UNSEEN.has(node.tagName) : /^(?:script|style)$/.test(node.tagName));
      element(node, isHtml, facts);
      if (isHtml && node.tagName === "title" && facts.title === undefined) facts.title = children(node).map((text) => (text as Tree.TextNode).value).join("");
      if (gap !== "") facts.text.push(gap), open.push(gap);
      if (isUnseen) unseen++, open.push("seen");
      // A template has its content beside its children.
      open.push(...children(node).reverse());
    } else {
      open.push(...children(node).reverse());
    }
  }
  const words = (text: string): string[] => text.split(BLANKS).filter((word) => word !== "");
  return { title: words(facts.title ?? "").join(" "), words: words(facts.text.join("")), links: [...facts.links], base: facts.base ?? "" };
}

interface Facts {
  readonly text: string[];
  readonly links: Set<string>;
  base: string | undefined;
}

function element(node: Tree.Element, isHtml: boolean, facts: Facts): void {
  const { tagName: name } = node;
  const get = (wanted: string): string | undefined => node.attrs.find((one) => (one.prefix ? `${one.prefix}:${one.name}` : one.name) === wanted)?.value;
  const link = (kind: string, url: string | undefined): void => {
    const leads = leadsTo(url ?? "");
    if (leads !== "") facts.links.add(`${kind} ${leads}`);
  };
  if (!isHtml) {
    const kind = { a: "anchor", image: "media", script: "script" }[name];
    if (kind) link(kind, get("href") ?? get("xlink:href"));
    return;
  }
  if (name === "base") facts.base ??= get("href") === undefined ? undefined : leadsTo(get("href") ?? "");
  else if (name === "a" || name === "area") link("anchor", get("href"));
  else if (name === "frame" || name === "iframe") link("frame", get("src"));
  else if (name === "script") link("script", get("src"));
  else if (name === "form") link("form", get("action"));
  else if (name === "object") link("media", get("data"));
  else if (name === "body") link("media", get("background"));
  else if (name === "input" && get("type")?.toLowerCase() === "image") link("media", get("src"));
  else if (name === "link" && get("href") !== undefined) link(/(?:^|\s)stylesheet(?:\s|$)/i.test(get("rel") ?? "") ? "style" : "other", get("href"));
  else if (SOURCES.has(name)) {
    link("media", get("src"));
    link("media", get("poster"));
    link("media", /^[\s,]*(\S+)/.exec(get("srcset") ?? "")?.[1]?.replace(/,+$/, ""));
    if (name === "img" && get("alt") !== undefined) facts.text.push(` ${get("alt")} `);
  }
}

/** A URL as browsers clean it; empty where it leads nowhere else. */
function leadsTo(url: string): string {
  const clean = url.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, "");
  return /^(?:#|(?:data|javascript|about|blob):)/i.test(clean) ? "" : clean.replace(/[\t\n\r]/g, "");
}
