/** Which capture answers a request of an archived page: the rules, on real archives, over a line to the engine as replay has it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { archiveOver, openArchive, type Archive } from "stackroom";
import { initSync, RowsByUrl } from "../../dist/lib/wasm/rewrite.js";
import { find, type Asked, type Found } from "../../dist/replay/lookup.js";
import { UrlTable } from "../../dist/replay/urltable.js";
import { httpRequest, httpResponse, sha1Digest, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";

beforeAll(() => {
  initSync({ module: readFileSync(fileURLToPath(new URL("../../dist/lib/wasm/rewrite_bg.wasm", import.meta.url))) });
});

interface Captured {
  readonly url?: string;
  readonly at?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const page = "https://a.example/page";
const capture = ({ url = page, at = "2014-01-01", status = 200, headers = {}, body = at }: Captured = {}): Uint8Array =>
  warcRecord({ url, date: `${at}T00:00:00Z`, block: httpResponse({ status, headers, body }) });
const revisit = (at: string, of: string): Uint8Array =>
  warcRecord({ type: "revisit", url: page, date: `${at}T00:00:00Z`, headers: { "WARC-Payload-Digest": sha1Digest(of) }, block: httpResponse({ status: 304, body: "" }) });
const request = (at: string, body: string, url = page): Uint8Array =>
  warcRecord({ type: "request", url, date: `${at}T00:00:00Z`, block: httpRequest({ method: "POST", url, body }) });

interface Looked {
  readonly row?: number;
  readonly original?: number | undefined;
  readonly found?: Found | undefined;
}

/** Looks something up in an archive of these records, numbered from 1. */
const look = (records: readonly Uint8Array[], asked: Partial<Asked> = {}, at = "2014-01-01"): Promise<Looked> => lookIn(warcGz(warcInfo({}), ...records), asked, at);

async function lookIn(bytes: Uint8Array, asked: Partial<Asked> = {}, at = "2014-01-01"): Promise<Looked> {
  const archive = await openArchive(bytes);
  const second = await archiveOver(await archive.connect());
  try {
    const found = await find(new UrlTable(second, new RowsByUrl(1, 2)), second, {
      url: "a.example/page",
      captured: Date.parse(at),
      method: "GET",
      ...asked,
    });
    return found ? { row: found.row.row, original: found.original?.row, found } : {};
  } finally {
    await archive.close();
  }
}

describe("of several captures", () => {
  const years = ["2010-01-01", "2014-01-01", "2018-01-01"].map((at) => capture({ at }));

  test("the nearest in time answers, the first where no time is known", async () => {
    expect((await look(years, {}, "2014-06-01")).row).toBe(2);
    expect((await look(years, {}, "2017-01-01")).row).toBe(3);
    expect((await look(years, {}, "1999-01-01")).row).toBe(1);
    expect((await look(years, { captured: undefined })).row).toBe(1);
  });

  test("scheme and www. do not matter, another host and path do", async () => {
    const records = [capture({ url: "http://www.a.example/page" })];
    expect((await look(records)).row).toBe(1);
    expect((await look(records, { url: "www.a.example/page" })).row).toBe(1);
    expect(await look(records, { url: "b.example/page" })).toEqual({});
    expect(await look(records, { url: "a.example/Page2" })).toEqual({});
  });

  test("a row of an index answers nothing: its record is elsewhere", async () => {
    const row = { url: page, mime: "text/html", status: "200", length: "900", offset: "0", filename: "elsewhere.warc.gz" };
    expect(await lookIn(new TextEncoder().encode(`example,a)/page 20140101000000 ${JSON.stringify(row)}\n`))).toEqual({});
  });

  test("one that leads to itself is passed over, one that leads elsewhere is not", async () => {
    const toItself = capture({ url: "http://a.example/page", status: 301, headers: { Location: "https://www.a.example/page" } });
    const away = capture({ status: 302, headers: { Location: "/login" } });
    const later = capture({ at: "2016-01-01" });
    expect((await look([toItself, later])).row).toBe(2);
    expect((await look([away, later])).row).toBe(1);
    expect(await look([toItself])).toEqual({});
  });

  test("what says that nothing had changed is passed over, a part of a file is the last choice", async () => {
    const same = capture({ status: 304, body: "" });
    const part = capture({ status: 206, headers: { "Content-Range": "bytes 0-3/100" } });
    const whole = capture({ at: "2018-01-01" });
    expect((await look([same, part, whole])).row).toBe(3);
    expect((await look([same, part])).row).toBe(2);
    expect(await look([same])).toEqual({});
  });

  test("an error page is what the site answered then", async () => {
    expect((await look([capture({ status: 404 }), capture({ at: "2018-01-01" })])).row).toBe(1);
  });

  test("a revisit answers with the capture that it refers to, and not at all without", async () => {
    const whole = capture({ at: "2012-01-01", body: "the page" });
    const stated = warcRecord({ url: page, date: "2012-01-01T00:00:00Z", headers: { "WARC-Payload-Digest": sha1Digest("the page") }, block: httpResponse({ body: "the page" }) });
    expect(await look([stated, revisit("2014-01-01", "the page")])).toMatchObject({ row: 2, original: 1 });
    expect(await look([whole, revisit("2014-01-01", "another page")])).toMatchObject({ row: 1, original: undefined });
  });
});

describe("what was sent", () => {
  const records = [
    capture({ at: "2014-01-01", body: "one" }),
    request("2014-01-01", "b=2&a=1"),
    capture({ at: "2014-01-02", body: "two" }),
    request("2014-01-02", "a=2"),
    capture({ at: "2014-01-03", body: "got" }),
  ];
  const send = (body: string) => look(records, { method: "POST", body: new TextEncoder().encode(body) });

  test("chooses among answers, whatever the order of fields", async () => {
    expect((await send("a=1&b=2")).row).toBe(1);
    expect((await send("a=2")).row).toBe(3);
  });

  test("decides by its method alone where no body is the same", async () => {
    expect((await send("a=3")).row).toBe(1);
    expect((await look(records, { method: "PUT" }, "2014-01-03")).row).toBe(5);
  });
});

describe("an address that differs in what does not matter", () => {
  const records = [capture({ url: "https://a.example/list?page=2&sort=up&_=1400000000000" })];

  test("is answered, and it is said to be no more than alike", async () => {
    for (const url of ["a.example/list?sort=up&page=2", "a.example/list?page=2&sort=up&_=1700000000000"]) {
      expect((await look(records, { url })).found, url).toMatchObject({ isFuzzy: true, row: { row: 1 } });
    }
    expect((await look(records, { url: "a.example/list?page=2&sort=up&_=1400000000000" })).found?.isFuzzy).toBeUndefined();
    expect(await look(records, { url: "a.example/list?page=3&sort=up" })).toEqual({});
  });

  test("has the function of the page called that it names", async () => {
    const called = [capture({ url: "https://a.example/api?q=1&callback=jQuery17_1", body: "jQuery17_1({})" })];
    const { found } = await look(called, { url: "a.example/api?q=1&callback=jQuery17_2" });
    expect(found).toMatchObject({ isFuzzy: true, callback: { recorded: "jQuery17_1", wanted: "jQuery17_2" } });
  });
});

test("an archive that is closed ends what reads it over a line", async () => {
  const archive: Archive = await openArchive(warcGz(warcInfo({}), capture()));
  const second = await archiveOver(await archive.connect());
  expect((await second.indexed).records).toBe(2);
  expect((await second.rows(1, 1))[0]?.url).toBe(page);
  const ended = new Promise<void>((resolve) => second.onClose(resolve));
  await archive.close();
  await ended;
  await expect(second.rows(0, 1)).rejects.toThrow();
});
