// SQLite as contestants, in two builds: its own with its pool of handles, and wa-sqlite with its own pool. Both as their
// documents say: prepared statements, pages of 4 KiB, the journal and the synchronisation that they have by themselves.
// Look-ups together are in one transaction: outside of it each looks for another writer first.

import { isValue } from "./entries.js";

const TABLE = (valueBytes) => `CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL)${valueBytes < 1000 ? " WITHOUT ROWID" : ""}`;
const INSERT = "INSERT INTO entries VALUES (?, ?)";
const GET = "SELECT value FROM entries WHERE key = ?";

export async function sqliteWasm() {
  const { default: start } = await import("/sqlite/dist/index.mjs");
  const sqlite = await start();
  const pool = await sqlite.installOpfsSAHPoolVfs({ name: "bench" });
  let db;
  let isNew = true;
  const eachFound = (set, order, valueOf) => {
    const select = db.prepare(GET);
    let wrong = 0;
    for (const n of order) {
      select.bind(1, set.keys[n]);
      if (!select.step() || !isValue(valueOf(select), n, set)) wrong += 1;
      select.reset();
    }
    select.finalize();
    return wrong;
  };
  const get = (set, order) => eachFound(set, order, (select) => select.getBlob(0));
  return {
    async open({ cachePages, valueBytes }) {
      db = new pool.OpfsSAHPoolDb("/entries");
      db.exec(`PRAGMA cache_size = ${cachePages}`);
      if (isNew) db.exec(TABLE(valueBytes));
      isNew = false;
    },
    load(set, batch) {
      const insert = db.prepare(INSERT);
      db.exec("BEGIN");
      for (let n = 0; n < set.count; n++) {
        insert.bind(1, set.keys[n]).bind(2, set.value(n)).stepReset();
        if ((n + 1) % batch === 0) db.exec("COMMIT; BEGIN");
      }
      db.exec("COMMIT");
      insert.finalize();
    },
    get,
    /** Out of its memory into the same bytes again and again. */
    getInto(set, order) {
      const { capi, wasm } = sqlite;
      const into = new Uint8Array(set.valueBytes);
      return eachFound(set, order, ({ pointer }) => {
        const at = capi.sqlite3_column_blob(pointer, 0);
        into.set(wasm.heap8u().subarray(at, at + capi.sqlite3_column_bytes(pointer, 0)));
        return into;
      });
    },
    getTogether(set, order) {
      db.exec("BEGIN");
      const wrong = get(set, order);
      db.exec("COMMIT");
      return wrong;
    },
    bytes: () => db.selectValue("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
    close: () => db.close(),
  };
}

export async function waSqlite() {
  const [{ default: factory }, SQLite, { AccessHandlePoolVFS }] = await Promise.all([
    import("/wa/dist/wa-sqlite.mjs"),
    import("/wa/src/sqlite-api.js"),
    import("/wa/src/examples/AccessHandlePoolVFS.js"),
  ]);
  const sqlite = SQLite.Factory(await factory());
  const vfs = new AccessHandlePoolVFS("/wa-sqlite");
  await vfs.isReady;
  sqlite.vfs_register(vfs, true);
  let db;
  let isNew = true;
  /** One statement, kept for as long as `use` runs. */
  const prepared = async (sql, use) => {
    const text = sqlite.str_new(db, sql);
    const { stmt } = await sqlite.prepare_v2(db, sqlite.str_value(text));
    try {
      return await use(stmt);
    } finally {
      await sqlite.finalize(stmt);
      sqlite.str_finish(text);
    }
  };
  const eachFound = (set, order, valueOf) =>
    prepared(GET, async (select) => {
      let wrong = 0;
      for (const n of order) {
        sqlite.bind_blob(select, 1, set.keys[n]);
        if ((await sqlite.step(select)) !== SQLite.SQLITE_ROW || !isValue(valueOf(sqlite.column_blob(select, 0)), n, set)) wrong += 1;
        await sqlite.reset(select);
      }
      return wrong;
    });
  // What it gives is a view of its own memory, until its next step.
  const get = (set, order) => eachFound(set, order, (view) => view);
  return {
    async open({ cachePages, valueBytes }) {
      db = await sqlite.open_v2("entries");
      await sqlite.exec(db, `PRAGMA cache_size = ${cachePages}`);
      if (isNew) await sqlite.exec(db, TABLE(valueBytes));
      isNew = false;
    },
    load: (set, batch) =>
      prepared(INSERT, async (insert) => {
        await sqlite.exec(db, "BEGIN");
        for (let n = 0; n < set.count; n++) {
          sqlite.bind_blob(insert, 1, set.keys[n]);
          sqlite.bind_blob(insert, 2, set.value(n));
          await sqlite.step(insert);
          await sqlite.reset(insert);
          if ((n + 1) % batch === 0) await sqlite.exec(db, "COMMIT; BEGIN");
        }
        await sqlite.exec(db, "COMMIT");
      }),
    get,
    getInto(set, order) {
      const into = new Uint8Array(set.valueBytes);
      return eachFound(set, order, (view) => {
        into.set(view);
        return into;
      });
    },
    async getTogether(set, order) {
      await sqlite.exec(db, "BEGIN");
      const wrong = await get(set, order);
      await sqlite.exec(db, "COMMIT");
      return wrong;
    },
    bytes: () =>
      prepared("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", async (select) => {
        await sqlite.step(select);
        return sqlite.column_int(select, 0);
      }),
    close: () => sqlite.close(db),
  };
}
