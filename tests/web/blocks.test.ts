/** What is kept of a source that is far away: what readers get, and what they cost it. */
import { expect, test } from "vitest";
import { remembered } from "../../web/lib/blocks.js";
import { openSource, type Source } from "../../web/lib/source.js";

const NEVER = new AbortController().signal;
const KIB = 1024;

/** A source that is asked by ranges, and what it was asked for. */
function far(length: number, pieceBytes = 10_000) {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255);
  const asked: { from: number; to: number }[] = [];
  const state = { failures: 0 };
  const source: Source = {
    size: length,
    shared: { kind: "url", url: "https://archive.example/", size: length, version: "1" },
    async *chunks(offset) {
      const one = { from: offset, to: offset };
      asked.push(one);
      for (; one.to < length; ) {
        await new Promise((resolve) => setTimeout(resolve));
        if (state.failures > 0 && state.failures--) throw new Error("the connection broke");
        const chunk = bytes.slice(one.to, Math.min(one.to + pieceBytes, length));
        one.to += chunk.length;
        yield chunk;
      }
    },
  };
  return { bytes, asked, source, state };
}

async function read(source: Source, offset: number, count: number, signal = NEVER): Promise<Uint8Array> {
  const out: number[] = [];
  for await (const chunk of source.chunks(offset, signal)) {
    out.push(...chunk.subarray(0, count - out.length));
    if (out.length >= count) break;
  }
  return Uint8Array.from(out);
}

test("bytes from any place on are those of the source, to its end", async () => {
  for (const length of [0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 300 * KIB]) {
    const { bytes, source } = far(length);
    const near = remembered(source);
    for (const offset of [0, 1, 64 * KIB - 1, 64 * KIB, 200 * KIB, length - 1, length, length + 5].filter((at) => at >= 0)) {
      expect(Buffer.compare(await read(near, offset, Infinity), bytes.slice(offset)), `${length} from ${offset}`).toBe(0);
    }
  }
});

test("records beside each other, read at once and again, cost one request", async () => {
  const { bytes, asked, source } = far(1 << 20);
  const near = remembered(source);
  const places = Array.from({ length: 100 }, (_, n) => n * 1_200);
  for (let again = 0; again < 2; again++) {
    const parts = await Promise.all(places.map((at) => read(near, at, 1_200)));
    parts.forEach((part, n) => expect(part).toEqual(bytes.slice(places[n], places[n]! + 1_200)));
  }
  expect(asked.map(({ from }) => from)).toEqual([0]);
});

test("a reader who gives up leaves the others what was asked for", async () => {
  const { bytes, source } = far(1 << 20);
  const near = remembered(source);
  const controller = new AbortController();
  const given = read(near, 0, 1_000, controller.signal);
  const other = read(near, 70_000, 1_000);
  controller.abort();
  await expect(given).rejects.toThrow("cancelled");
  expect(await other).toEqual(bytes.slice(70_000, 71_000));
});

test("a request that fails is told to all who wait for it, and made again for who comes then", async () => {
  const { bytes, source, state } = far(1 << 20);
  const near = remembered(source);
  state.failures = 1;
  const both = await Promise.allSettled([read(near, 0, 10), read(near, 80_000, 10)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await read(near, 80_000, 10)).toEqual(bytes.slice(80_000, 80_010));
});

test("long bodies go past, and drive nothing out", async () => {
  const { bytes, asked, source } = far(40 << 20, 1 << 20);
  const near = remembered(source);
  await read(near, 0, 1_000);
  let [at, isSame] = [5 << 20, true];
  for await (const chunk of near.chunks(at, NEVER)) {
    isSame &&= Buffer.compare(chunk, bytes.subarray(at, at + chunk.length)) === 0;
    at += chunk.length;
  }
  expect([at, isSame]).toEqual([40 << 20, true]);
  expect(asked.length).toBeLessThan(10);
  const before = asked.length;
  await read(near, 0, 1_000);
  expect(asked.length).toBe(before);
});

test("of what is far away no more is kept than the blocks that were read last", async () => {
  const { asked, source } = far(40 << 20, 1 << 20);
  const near = remembered(source);
  const places = Array.from({ length: 300 }, (_, n) => (300 - n) * 128 * KIB);
  for (const at of places) await read(near, at, 10);
  expect(asked.length).toBe(300);
  await read(near, places.at(-1)!, 10);
  expect(asked.length).toBe(300);
  await read(near, places[0]!, 10);
  expect(asked.length).toBe(301);
});

test("what is near is read as it is", () => {
  const source = openSource({ kind: "bytes", bytes: new Uint8Array(10) });
  expect(remembered(source)).toBe(source);
});
