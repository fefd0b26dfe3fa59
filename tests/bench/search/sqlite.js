// FTS5 of SQLite's own build for browsers, on its pool of files: with the text in it, and without. Patterns are not in it:
// with the text, each is tried by the browser. Of the best it tells what a list of them shows, as ours does.

import { default as start } from "/sqlite/dist/index.mjs";

const BEST = 10;

const phrased = (words) => words.split(" ").map((word) => `"${word}"`);

/** A query in FTS5's language. */
function matched(kind, words) {
  switch (kind) {
    case "or":
      return phrased(words).join(" OR ");
    case "phrase":
      return `"${words}"`;
    case "prefix":
      return `"${words}" *`;
    default:
      return phrased(words).join(" AND ");
  }
}

export async function sqlite({ hasContent }) {
  const sqlite3 = await start();
  const pool = await sqlite3.installOpfsSAHPoolVfs({ name: "search" });
  const db = new pool.OpfsSAHPoolDb("/search");
  db.exec("PRAGMA cache_size = -16384");
  db.exec(`CREATE VIRTUAL TABLE found USING fts5(title, text${hasContent ? "" : ", content=''"})`);
  db.exec("CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT, title TEXT, host TEXT)");
  const patterns = new Map();
  db.createFunction("matches", (_, pattern, text) => {
    if (!patterns.has(pattern)) patterns.set(pattern, new RegExp(pattern));
    return patterns.get(pattern).test(text) ? 1 : 0;
  });
  const ranked = db.prepare(`SELECT id, url, pages.title FROM (SELECT rowid FROM found WHERE found MATCH ? ORDER BY rank LIMIT ${BEST}) AS best JOIN pages ON id = best.rowid`);
  const counted = db.prepare(`SELECT host, count(*) FROM found JOIN pages ON id = found.rowid WHERE found MATCH ? GROUP BY host ORDER BY 2 DESC LIMIT ${BEST}`);
  const tried = hasContent ? db.prepare(`SELECT id, url, pages.title FROM (SELECT rowid FROM found WHERE matches(?, text) LIMIT ${BEST}) AS first JOIN pages ON id = first.rowid`) : undefined;
  const rows = (statement, value) => {
    statement.bind(1, value);
    let count = 0;
    while (statement.step()) {
      statement.get([]);
      count += 1;
    }
    statement.reset();
    return count;
  };
  return {
    kinds: ["term", "and", "or", "phrase", "prefix", "facets", ...(hasContent ? ["regex", "regexAll"] : [])],
    add(pages) {
      db.exec("BEGIN");
      const put = db.prepare("INSERT INTO found (rowid, title, text) VALUES (?, ?, ?)");
      const about = db.prepare("INSERT INTO pages VALUES (?, ?, ?, ?)");
      for (const { id, title, url, host, text } of pages) {
        put.bind([id, title, text]).stepReset();
        about.bind([id, url, title, host]).stepReset();
      }
      put.finalize();
      about.finalize();
      db.exec("COMMIT");
    },
    ask(kind, words) {
      if (kind === "regex" || kind === "regexAll") return rows(tried, words);
      return rows(kind === "facets" ? counted : ranked, matched(kind, words));
    },
    bytes: () => db.selectValue("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
    close() {
      for (const statement of [ranked, counted, tried]) statement?.finalize();
      db.close();
    },
  };
}
