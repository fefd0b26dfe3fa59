// The kept index of an archive on a real storage of a browser: rows go in, come back in every order when it is opened
// again, and are gone with their files where no manifest of them was kept. Gives what does not hold.

const [KEY, SEARCH_KEY] = ["index", "search"].map((key) => new TextEncoder().encode(key));
const encoder = new TextEncoder();

/** Rows as the engine hands them out, with their keys. */
function keyedRows(from, count) {
  const out = [];
  const varint = (value) => {
    for (; value >= 128; value = Math.floor(value / 128)) out.push((value % 128) | 128);
    out.push(value);
  };
  const text = (value) => {
    const bytes = encoder.encode(value);
    varint(bytes.length);
    out.push(...bytes);
  };
  for (let n = from; n < from + count; n++) {
    // part, offset, length, skip, kind, status, size, date, digest, origin, segment, mime, url, key
    for (const number of [0, n * 1000, 500 + (n % 7), 0, 2, 201, (n * 7919) % 1009, 1_500_000_001 + ((n * 31) % 5000), 0, 0, 0]) varint(number);
    text(n % 3 === 0 ? "image/png" : "text/html");
    text(`http://host${n % 5}.test/page/${n}`);
    text(`test,host${n % 5})/page/${n}`);
  }
  return Uint8Array.from(out);
}

async function total(index, query) {
  for (;;) {
    const found = await index.search({ query });
    if (found.isDone) return found.total;
  }
}

export async function indexContract({ divided, ArchiveIndex, KeptIndex, Store, PageStore }, openStorage, count) {
  const wrong = [];
  const expect = (what, found, expected) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push(`${what}: ${JSON.stringify(found)?.slice(0, 200)}, not ${JSON.stringify(expected)?.slice(0, 200)}`);
  };
  const open = async () => {
    const { storage, shelf } = divided(await openStorage());
    const files = shelf(1);
    const store = await Store.open({ make: PageStore, storage });
    const index = await ArchiveIndex.open(KeptIndex, files, { manifest: await store.get(KEY), search: await store.get(SEARCH_KEY), cacheBytes: 1 << 20 });
    return { store, index, files };
  };
  const keep = async ({ store, index }, isWhole) => {
    const { manifest, search } = await index.keep({ isWhole });
    await store.batch({ put: [[KEY, manifest], [SEARCH_KEY, search]] });
    await index.tidy();
  };
  const close = async ({ store, index }) => {
    await index.close();
    await store.close();
  };
  const look = async (what, { index }, rows) => {
    expect(`${what}: rows`, index.count, rows);
    const bySize = Array.from({ length: rows }, (_, n) => n).sort((a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009) || a - b);
    const numbers = (found) => found.map(({ row }) => row);
    expect(`${what}: by size`, numbers(await index.sorted({ column: "size", from: 0, count: rows })), bySize);
    expect(`${what}: in order`, numbers(await index.rows(rows - 5, 10)), Array.from({ length: 5 }, (_, n) => rows - 5 + n));
    expect(`${what}: values`, (await index.values("mime", { count: 9 })).map(({ name, records }) => [name, records]), [["image/png", Math.ceil(rows / 3)], ["text/html", rows - Math.ceil(rows / 3)]]);
    expect(`${what}: hosts`, (await index.hosts("test", { count: 9 })).length, 5);
    const { total: of, rows: captures } = await index.captures("test,host3)/page/8");
    expect(`${what}: found`, await total(index, "host:host3.test status:200"), rows / 5);
    expect(`${what}: captures`, [of, captures[0]?.url], [1, "http://host3.test/page/8"]);
  };

  const first = await open();
  for (let n = 0; n < 10; n++) {
    await first.index.add(keyedRows((n * count) / 10, count / 10));
    await keep(first, false);
  }
  await look("while it grows", first, count);
  // Of this no manifest is kept.
  await first.index.add(keyedRows(count, 100));
  await first.index.keep();
  await close(first);

  const second = await open();
  await look("opened again", second, count);
  await keep(second, true);
  await look("in one segment", second, count);
  // Of rows, and of what is searched.
  expect("files", (await second.files.list()).length, 2);
  await close(second);

  const third = await open();
  await look("opened for the last time", third, count);
  expect("bytes", (await third.files.list()).reduce((sum, { bytes }) => sum + bytes, 0), third.index.bytes);
  await close(third);
  return { wrong };
}
