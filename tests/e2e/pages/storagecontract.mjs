// What every storage of pages must do, whatever it keeps them in. For Node and for pages' workers: no test framework.
// `open()` gives the storage over the same place each time. Each case throws where the storage does not do it.

const PAGE_BYTES = 4096;

const pageOf = (number, round) => new Uint8Array(PAGE_BYTES).map((_, at) => (number * 31 + round * 7 + at) & 255);

function batchOf(numbers, round, superblock) {
  const bytes = new Uint8Array(numbers.length * PAGE_BYTES);
  numbers.forEach((number, at) => bytes.set(pageOf(number, round), at * PAGE_BYTES));
  return {
    pages: Uint32Array.from(numbers),
    bytes,
    ...(superblock !== undefined && { superblock: { page: superblock, bytes: pageOf(superblock, round) } }),
  };
}

/** Bytes of an extent, from an offset on. */
const extentBytes = (offset, length, round) => Uint8Array.from({ length }, (_, at) => ((offset + at) * 13 + round + ((offset + at) >> 8)) & 255);

const appends = (...parts) => parts.map(([file, offset, length]) => ({ file, offset, bytes: extentBytes(offset, length, file) }));

async function checkSpans(storage, spans) {
  const found = await storage.readSpans(spans.map(([file, offset, length]) => ({ file, offset, length })));
  spans.forEach(([file, offset, length, there = length], at) => {
    if (!isSame(found[at], extentBytes(offset, there, file))) throw new Error(`extent ${file}: ${length} bytes from ${offset} on are not what was appended`);
  });
}

/** Ends, beginnings, blocks within and across. */
const LONG = 300_000;
const SPANS = [[0, 0, 10], [0, LONG - 10, 10], [0, 65_530, 12], [0, 1_000, 250_000], [0, LONG - 5, 50, 5], [0, LONG, 7, 0], [5, 0, 7, 0]];

const isSame = (found, expected) => found.length === expected.length && found.every((byte, at) => byte === expected[at]);

async function check(storage, numbers, round) {
  const found = await storage.read(Uint32Array.from(numbers));
  if (found.length !== numbers.length) throw new Error(`${found.length} pages for ${numbers.length}`);
  numbers.forEach((number, at) => {
    if (!isSame(found[at], pageOf(number, round))) throw new Error(`page ${number} is not what was written in round ${round}`);
  });
}

/** Runs and closes, so that the next one may open. */
async function using(open, work) {
  const storage = await open();
  try {
    return await work(storage);
  } finally {
    storage.close();
  }
}

async function checkExtents(storage, expected) {
  const found = (await storage.extents()).map(({ file, bytes }) => `${file} of ${bytes}`);
  if (String(found) !== String(expected.map(([file, bytes]) => `${file} of ${bytes}`))) throw new Error(`there are extents ${found}`);
}

const SCATTERED = [2, 3, 4, 9, 7, 12, 11, 30];

/** For storages that are empty at first. */
export const writing = {
  "pages that nobody wrote are empty": (open) =>
    using(open, async (storage) => {
      const found = await storage.read([0, 1, 7]);
      if (found.length !== 3 || found.some((bytes) => bytes.length > 0)) throw new Error("there is something in an empty storage");
    }),
  "pages are read in the order in which they are asked for": (open) =>
    using(open, async (storage) => {
      await storage.write(batchOf(SCATTERED, 1));
      await check(storage, SCATTERED, 1);
      await check(storage, [...SCATTERED].reverse(), 1);
      await check(storage, [30, 2, 30], 1);
    }),
  "what is written is a copy": (open) =>
    using(open, async (storage) => {
      const batch = batchOf([2, 5], 1, 0);
      await storage.write(batch);
      batch.bytes.fill(0);
      batch.superblock.bytes.fill(0);
      await check(storage, [0, 2, 5], 1);
    }),
  "a page is written over, and its neighbours are not": (open) =>
    using(open, async (storage) => {
      await storage.write(batchOf([2, 3, 4, 5], 1));
      await storage.write(batchOf([3, 4], 2));
      await check(storage, [2, 5], 1);
      await check(storage, [3, 4], 2);
    }),
  "a superblock of two pages is two pages": (open) =>
    using(open, async (storage) => {
      const both = new Uint8Array([...pageOf(2, 5), ...pageOf(3, 5)]);
      await storage.write({ ...batchOf([4], 5), superblock: { page: 2, bytes: both } });
      await check(storage, [3, 2, 4], 5);
    }),
  "a commit is there when the storage is opened again": async (open) => {
    await using(open, (storage) => storage.write(batchOf(SCATTERED, 3, 1)));
    await using(open, (storage) => check(storage, [1, ...SCATTERED], 3));
  },
  "extents grow and are read in parts": (open) =>
    using(open, async (storage) => {
      await storage.prepare([0, 1]);
      await checkSpans(storage, [[0, 0, 7, 0]]);
      await storage.write({ ...batchOf([2], 1), appends: appends([0, 0, 100], [1, 0, 70_000]) });
      await storage.write({ ...batchOf([3], 1, 0), appends: appends([0, 100, LONG - 100], [1, 70_000, 70_000]) });
      await checkSpans(storage, [...SPANS, [1, 69_990, 20], [1, 0, 140_000]]);
      await checkExtents(storage, [[0, LONG], [1, 140_000]]);
      if ((await storage.pages()) !== 4) throw new Error(`there are ${await storage.pages()} pages`);
    }),
  "what no commit knows of is appended over": (open) =>
    using(open, async (storage) => {
      await storage.prepare([0, 1]);
      await storage.write({ ...batchOf([], 1), appends: [{ file: 0, offset: 0, bytes: new Uint8Array(100_000).fill(9) }] });
      await storage.write({ ...batchOf([2], 1, 0), appends: appends([0, 0, 50_000]) });
      await checkSpans(storage, [[0, 0, 50_000]]);
    }),
  "an extent goes, and its number may come again": async (open) => {
    await using(open, async (storage) => {
      await storage.prepare([0, 1]);
      await storage.write({ ...batchOf([2], 1, 0), appends: appends([0, 0, 70_000], [1, 0, 10]) });
      await storage.removeExtent(0);
      await checkExtents(storage, [[1, 10]]);
      await checkSpans(storage, [[0, 0, 10, 0], [1, 0, 10]]);
    });
    await using(open, async (storage) => {
      await storage.prepare([0, 1]);
      await checkSpans(storage, [[0, 0, 10, 0], [1, 0, 10]]);
      await storage.write({ ...batchOf([3], 1, 0), appends: appends([0, 0, 20]) });
      await checkSpans(storage, [[0, 0, 20]]);
    });
  },
  "pages behind the end of a shorter store are gone": (open) =>
    using(open, async (storage) => {
      await storage.write(batchOf([2, 3, 4, 5], 1, 0));
      await storage.truncate(4);
      await check(storage, [2, 3], 1);
      if ((await storage.read([4, 5])).some((bytes) => bytes.length > 0)) throw new Error("there is something behind the end");
      await storage.truncate(9);
      await check(storage, [0, 2, 3], 1);
    }),
  "a commit of four megabytes goes in and comes out": (open) =>
    using(open, async (storage) => {
      const numbers = Array.from({ length: 1024 }, (_, n) => 2 + n);
      await storage.write(batchOf(numbers, 4, 0));
      await check(storage, [0, 2, 1025, 500], 4);
    }),
};

/** For storages that only read: over what `written` says, put there by a storage that writes. */
export const written = { ...batchOf([2, 3, 4, 5, 6, 7, 8, 300], 1, 1), appends: appends([0, 0, LONG]) };

export const reading = {
  "pages are read in the order in which they are asked for": (open) =>
    using(open, async (storage) => {
      await check(storage, [1, 2, 300, 8], 1);
      await check(storage, [300, 2, 2], 1);
    }),
  "pages behind the end are empty": (open) =>
    using(open, async (storage) => {
      const found = await storage.read([301, 5000, 2]);
      if (found[0].length > 0 || found[1].length > 0 || !isSame(found[2], pageOf(2, 1))) throw new Error("there is something behind the end");
    }),
  "extents are read in parts": (open) => using(open, (storage) => checkSpans(storage, SPANS)),
  "writing is refused": (open) =>
    using(open, async (storage) => {
      const refused = await Promise.resolve()
        .then(() => storage.write(batchOf([2], 2, 0)))
        .then(() => undefined, (error) => error.code);
      if (refused !== "store/read-only") throw new Error(`writing says ${refused}`);
      await check(storage, [2], 1);
    }),
};
