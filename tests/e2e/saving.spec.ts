/** Records are selected and saved: by mouse and by keys, as each form, some or all, in the order of the archive. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { concat, exchange, gzipMember, warcInfo } from "../fixtures/warc.js";
import { Viewer } from "./viewer.js";

const page = (n: number, body = `page ${n}`): Uint8Array[] =>
  exchange({ url: `http://${n % 2 === 0 ? "even" : "odd"}.test/dir/page.html`, headers: { "Content-Type": "text/html" }, body, date: `2024-03-0${(n % 9) + 1}T00:00:00Z` });
const records = [warcInfo(), ...[0, 1, 2, 3].flatMap((n) => page(n))];
const archive = concat(...records.map((record) => gzipMember(record)));
const only = (...rows: number[]): Uint8Array => concat(...rows.map((row) => records[row] ?? new Uint8Array()));

/** Keeps what is saved, as bytes, where the browser has no picker of files to write. */
async function keepBytes(page: Page): Promise<() => Promise<{ name: string; type: string; bytes: Buffer } | undefined>> {
  await page.addInitScript(() => {
    Object.assign(globalThis, { showSaveFilePicker: undefined });
    const { createObjectURL } = URL;
    let last: Blob | undefined;
    URL.createObjectURL = (blob: Blob) => createObjectURL((last = blob));
    HTMLAnchorElement.prototype.click = function () {
      Object.assign(globalThis, { kept: { name: this.download, blob: last } });
    };
  });
  return async () => {
    const kept = await page.evaluate(async () => {
      const { kept } = globalThis as unknown as { kept?: { name: string; blob: Blob } };
      Object.assign(globalThis, { kept: undefined });
      return kept && { name: kept.name, type: kept.blob.type, bytes: [...new Uint8Array(await kept.blob.arrayBuffer())] };
    });
    return kept && { ...kept, bytes: Buffer.from(kept.bytes) };
  };
}

const dialog = (page: Page): ReturnType<Page["getByRole"]> => page.getByRole("dialog", { name: "Save records" });

async function open(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "crawl.warc.gz", bytes: archive });
  await viewer.ready();
  return viewer;
}

async function saveAs(page: Page, form: RegExp): Promise<void> {
  await dialog(page).getByRole("radio", { name: form }).check();
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog(page)).toBeHidden();
}

test("what is selected by mouse is saved, compressed and plain, in the order of the archive", async ({ page }) => {
  const saved = await keepBytes(page);
  const viewer = await open(page);
  await viewer.rows.nth(5).click();
  await viewer.rows.nth(7).click({ modifiers: ["ControlOrMeta"] });
  await viewer.rows.nth(1).click({ modifiers: ["ControlOrMeta"] });
  await viewer.rows.nth(7).click({ modifiers: ["ControlOrMeta"] });
  await viewer.rows.nth(8).click({ modifiers: ["ControlOrMeta"] });
  await expect(page.getByTestId("selected")).toHaveText("2 selected");
  await expect(viewer.rows.nth(8)).toHaveAttribute("aria-selected", "true");
  await expect(viewer.rows.nth(5)).toHaveAttribute("aria-selected", "false");
  await page.getByRole("button", { name: "Save records" }).click();
  await expect(dialog(page).getByRole("radio", { name: "The selected ones (2)" })).toBeChecked();
  await saveAs(page, /^WARC, compressed/);
  const first = await saved();
  expect(first?.name).toBe("crawl-part.warc.gz");
  expect(first?.type).toBe("application/octet-stream");
  expect(new Uint8Array(first?.bytes ?? [])).toEqual(concat(gzipMember(records[1] ?? new Uint8Array()), gzipMember(records[8] ?? new Uint8Array())));

  await viewer.rows.nth(2).click();
  await viewer.rows.nth(4).click({ modifiers: ["Shift"] });
  await expect(page.getByTestId("selected")).toHaveText("3 selected");
  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^WARC(?!,)/);
  expect(new Uint8Array((await saved())?.bytes ?? [])).toEqual(only(2, 3, 4));
});

test("with keys alone: some, all, none, and the list as it is", async ({ page }) => {
  const saved = await keepBytes(page);
  const viewer = await open(page);
  await viewer.list.press("Home");
  await viewer.list.press("x");
  await viewer.list.press("ArrowDown");
  await viewer.list.press("Shift+ArrowDown");
  await expect(page.getByTestId("selected")).toHaveText("3 selected");
  await viewer.list.press("Escape");
  await expect(page.getByTestId("selected")).toHaveCount(0);
  await viewer.list.press("ControlOrMeta+a");
  await expect(page.getByTestId("selected")).toHaveText("9 selected");
  await viewer.list.press("Escape");
  await viewer.filter.fill("even.test");
  await expect(viewer.count).toContainText("4 of 9");
  await viewer.list.focus();
  await viewer.list.press("s");
  await expect(dialog(page).getByText("All that are listed (4)")).toBeVisible();
  await expect(dialog(page).getByRole("radio", { name: /^WARC, compressed/ })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toBeHidden();
  expect(new Uint8Array((await saved())?.bytes ?? [])).toEqual(only(1, 2, 5, 6));
});

test("as an index, as a table and as files", async ({ page }) => {
  const saved = await keepBytes(page);
  const hostile = concat(...records, ...exchange({ url: "http://=cmd.test/,\"x\"", headers: { "Content-Type": "=1+1" }, body: "x" }));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "crawl.warc", bytes: hostile });
  await viewer.ready();

  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^CDXJ/);
  const index = await saved();
  expect(index?.name).toBe("crawl-part.cdxj");
  const lines = index?.bytes.toString().trimEnd().split("\n") ?? [];
  expect(lines).toHaveLength(5);
  expect(lines.join("\n")).toContain('"filename": "crawl.warc"');
  expect([...lines].sort()).toEqual(lines);

  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^CSV/);
  const table = (await saved())?.bytes.toString().split("\r\n") ?? [];
  expect(table[0]).toBe("\ufeffurl,captured,status,media type,type,bytes,file,offset,length");
  expect(table).toHaveLength(1 + 11 + 1);
  expect(table[2]).toMatch(/^http:\/\/even\.test\/dir\/page\.html,2024-03-01T00:00:00\.000Z,200,text\/html,response,6,crawl\.warc,\d+,\d+$/);
  expect(table.join("\n")).toContain(`"http://=cmd.test/,""x""",`);
  expect(table.join("\n")).toContain(",'=1+1,");

  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^Files in a ZIP/);
  const zip = await saved();
  expect(zip?.name).toBe("crawl-part.zip");
  const path = join(mkdtempSync(join(tmpdir(), "stackroom-zip-")), "x.zip");
  writeFileSync(path, zip?.bytes ?? "");
  const listed = execFileSync("python3", ["-c", "import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))", path]);
  expect(JSON.parse(listed.toString())).toEqual({
    "even.test/page.html": "page 0",
    "odd.test/page.html": "page 1",
    "even.test/page (2).html": "page 2",
    "odd.test/page (2).html": "page 3",
    "=cmd.test/,_x_": "x",
  });
});

/** Such a picker is nothing that a test can operate: a file of the private file system stands for the one that is picked. */
test("it is written as it comes where the browser lets a file be picked", async ({ page }) => {
  await page.addInitScript(() => {
    const pick = async ({ suggestedName }: { suggestedName: string }): Promise<FileSystemFileHandle> => {
      const folder = await navigator.storage.getDirectory();
      return folder.getFileHandle(`picked-${suggestedName}`, { create: true });
    };
    Object.assign(globalThis, { showSaveFilePicker: pick });
  });
  const viewer = await open(page);
  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^WARC, compressed/);
  await expect(page.getByText(/^Saved picked-crawl-part\.warc\.gz: 9 records/)).toBeVisible();
  const read = (): Promise<number[]> =>
    page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const file = await (await folder.getFileHandle("picked-crawl-part.warc.gz")).getFile();
      return [...new Uint8Array(await file.arrayBuffer())];
    });
  expect(new Uint8Array(await read())).toEqual(archive);
  await expect(viewer.list).toBeVisible();
});

/** Takes the place of a file that the user picks; nothing is written beyond the first piece until it is let. */
async function holdFile(page: Page): Promise<{ let: () => Promise<void>; size: () => Promise<number>; digest: () => Promise<string> }> {
  await page.evaluate(() => {
    let go = (): void => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    const picked = { bytes: new Uint8Array(), go };
    const createWritable = (): unknown => {
      let pieces: Uint8Array<ArrayBuffer>[] = [];
      return {
        async write(piece: Uint8Array<ArrayBuffer>) {
          if (pieces.push(piece.slice()) > 1) await gone;
        },
        async close() {
          picked.bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
        },
        async abort() {
          pieces = [];
        },
      };
    };
    Object.assign(globalThis, { picked, showSaveFilePicker: async () => ({ name: "saved", createWritable: async () => createWritable() }) });
  });
  const ask = () =>
    page.evaluate(async () => {
      const { bytes } = (globalThis as unknown as { picked: { bytes: Uint8Array<ArrayBuffer> } }).picked;
      const digest = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0"));
      return { size: bytes.length, digest: digest.join("") };
    });
  return {
    let: () => page.evaluate(() => (globalThis as unknown as { picked: { go: () => void } }).picked.go()),
    size: async () => (await ask()).size,
    digest: async () => (await ask()).digest,
  };
}

test("a long list is saved with its progress told, and stopped", async ({ page }) => {
  const many = concat(...Array.from({ length: 4_000 }, (_, n) => gzipMember(exchange({ url: `http://many.test/${n}`, headers: { "Content-Type": "text/plain" }, body: "x".repeat(200) })[0] ?? new Uint8Array())));
  const viewer = new Viewer(page);
  await viewer.visit();
  const held = await holdFile(page);
  await viewer.pick({ name: "many.warc.gz", bytes: many });
  await viewer.ready();
  await page.getByRole("button", { name: "Save records" }).click();
  await dialog(page).getByRole("radio", { name: /^Files in a ZIP/ }).check();
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog(page).getByText(/[\d,]+ of 4,000 records/)).toBeVisible();
  await dialog(page).getByRole("button", { name: "Stop" }).click();
  await held.let();
  await expect(page.getByText("Saving was stopped. Nothing was kept.")).toBeVisible();
  expect(await held.size()).toBe(0);
  await page.getByRole("button", { name: "Save records" }).click();
  await saveAs(page, /^WARC, compressed/);
  expect(await held.digest()).toBe(createHash("sha256").update(many).digest("hex"));
});
