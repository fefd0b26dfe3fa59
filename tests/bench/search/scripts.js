// Search engines in JavaScript, in memory: MiniSearch, FlexSearch and Orama, as their documents say. What they would keep is
// measured by what they export.

const BEST = 10;

const bytesOf = (text) => new TextEncoder().encode(text).length;

/** The ten values that are most often there. */
function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, BEST).length;
}

export async function minisearch() {
  const { default: MiniSearch } = await import("/minisearch/dist/es/index.js");
  const index = new MiniSearch({ fields: ["title", "text"], storeFields: ["title", "url", "host"] });
  const options = { and: { combineWith: "AND" }, or: { combineWith: "OR" }, prefix: { prefix: true } };
  return {
    kinds: ["term", "and", "or", "prefix", "facets"],
    add: (pages) => index.addAll(pages),
    ask(kind, words) {
      const hits = index.search(words, options[kind] ?? {});
      return kind === "facets" ? counted(hits.map(({ host }) => host)) : hits.slice(0, BEST).length;
    },
    bytes: () => bytesOf(JSON.stringify(index)),
  };
}

export async function flexsearch() {
  const { Document } = await import("/flexsearch/dist/flexsearch.bundle.module.min.mjs");
  const index = new Document({ tokenize: "strict", document: { id: "id", index: ["title", "text"], store: ["title", "url", "host"] } });
  const ids = (words, options) => new Set(index.search(words, { limit: BEST, ...options }).flatMap(({ result }) => result)).size;
  return {
    kinds: ["term", "and", "or"],
    add(pages) {
      for (const page of pages) index.add(page);
    },
    ask: (kind, words) => Math.min(BEST, ids(words, { suggest: kind === "or" })),
    async bytes() {
      let bytes = 0;
      await index.export((_, data) => void (bytes += data === undefined ? 0 : bytesOf(data)));
      return bytes;
    },
  };
}

export async function orama() {
  const { create, insert, save, search } = await import("/orama/dist/browser/index.js");
  const index = create({ schema: { title: "string", url: "string", host: "enum", text: "string" } });
  const facets = { facets: { host: {} } };
  const options = { and: { threshold: 0 }, or: { threshold: 1 }, prefix: {}, facets: { exact: true, facets } };
  return {
    kinds: ["term", "and", "or", "prefix", "facets"],
    async add(pages) {
      for (const page of pages) await insert(index, { ...page, id: String(page.id) });
    },
    async ask(kind, words) {
      const exact = kind !== "prefix";
      const { hits, facets: found } = await search(index, { term: words, properties: ["title", "text"], limit: BEST, exact, ...options[kind], ...(kind === "facets" && { facets: { host: { limit: BEST } } }) });
      return kind === "facets" ? Math.min(BEST, Object.keys(found.host.values).length) : hits.length;
    },
    bytes: async () => bytesOf(JSON.stringify(await save(index))),
  };
}
