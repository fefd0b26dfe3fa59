/** The viewer as the specs see it: one object for its page, one for a server that hands out archives and counts who asks. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Locator, type Page } from "@playwright/test";

export type TabName = "Preview" | "Page" | "Headers" | "Text" | "JSON" | "Hex";

export class Viewer {
  readonly page: Page;
  readonly list: Locator;
  readonly rows: Locator;
  readonly count: Locator;
  readonly detail: Locator;
  readonly panel: Locator;
  readonly status: Locator;
  readonly notice: Locator;
  readonly filter: Locator;

  constructor(page: Page) {
    this.page = page;
    this.list = page.getByRole("grid", { name: "Records of the archive" });
    this.rows = this.list.locator('[role="row"][data-index]');
    this.count = page.getByTestId("count");
    this.detail = page.locator("stackroom-detail");
    this.panel = page.getByRole("tabpanel");
    this.status = page.locator("stackroom-status footer");
    this.notice = page.locator("stackroom-status .notice");
    this.filter = page.locator("stackroom-bar input");
  }

  async visit(path = "/"): Promise<void> {
    await this.page.goto(path);
  }

  /** Gives a file to the picker: a path, or bytes under a name. */
  async pick(file: string | { name: string; bytes: Uint8Array }): Promise<void> {
    const input = this.page.locator("#files");
    if (typeof file === "string") await input.setInputFiles(file);
    else await input.setInputFiles({ name: file.name, mimeType: "application/gzip", buffer: Buffer.from(file.bytes) });
  }

  /** Drops files on the window, the way a browser tells of it. */
  async drop(files: readonly { name: string; bytes: Uint8Array }[]): Promise<void> {
    const sent = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") }));
    await this.page.evaluate((dropped) => {
      const data = new DataTransfer();
      for (const { name, base64 } of dropped) {
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      }
      for (const type of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
      }
    }, sent);
  }

  /** Drops a folder: what a browser tells of one cannot be made by a script, so that its entries are played. */
  async dropFolder(name: string, files: readonly { name: string; bytes: Uint8Array }[]): Promise<void> {
    const sent = files.map(({ name: path, bytes }) => ({ path: `${name}/${path}`, base64: Buffer.from(bytes).toString("base64") }));
    await this.page.evaluate(({ folder, dropped }) => {
      type Entry = { isFile: boolean; isDirectory: boolean; name: string; fullPath: string };
      const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const entryOf = (path: string): Entry => {
        const own = dropped.find((one) => one.path === path);
        const entry = { isFile: own !== undefined, isDirectory: own === undefined, name: path.split("/").at(-1) ?? "", fullPath: `/${path}` };
        const file = (done: (file: File) => void): void => done(new File([bytesOf(own?.base64 ?? "")], entry.name));
        let isRead = false;
        const readEntries = (done: (entries: Entry[]) => void): void => {
          const below = dropped.filter((one) => one.path.startsWith(`${path}/`)).map((one) => one.path.slice(path.length + 1).split("/")[0] ?? "");
          done(isRead ? [] : [...new Set(below)].map((child) => entryOf(`${path}/${child}`)));
          isRead = true;
        };
        return Object.assign(entry, { file, createReader: () => ({ readEntries }) });
      };
      const data = new DataTransfer();
      data.items.add(new File([], folder));
      const { webkitGetAsEntry } = DataTransferItem.prototype;
      DataTransferItem.prototype.webkitGetAsEntry = () => entryOf(folder) as unknown as FileSystemEntry;
      for (const type of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
      }
      DataTransferItem.prototype.webkitGetAsEntry = webkitGetAsEntry;
    }, { folder: name, dropped: sent });
  }

  /** Waits until the archive is read to its end. */
  async ready(timeout = 60_000): Promise<void> {
    await expect(this.status).toContainText("Ready", { timeout });
  }

  /** Waits until the start page has its library: what is opened from now on is kept. */
  async hasLibrary(): Promise<void> {
    await expect(this.page.getByRole("heading", { name: "Library" })).toBeVisible();
  }

  /** Waits until all of the open archive is in the library. */
  async kept(): Promise<void> {
    await expect(this.page.getByRole("button", { name: "This archive is in the library" })).toBeVisible({ timeout: 60_000 });
  }

  row(text: string): Locator {
    return this.rows.filter({ hasText: text }).first();
  }

  async openRecord(text: string): Promise<void> {
    await this.row(text).click();
    await expect(this.detail).toBeVisible();
  }

  /** Goes from an archived page that was opened to the record behind it. */
  async leavePage(): Promise<void> {
    await this.page.getByRole("button", { name: "Close the archived page" }).click();
    await expect(this.detail).toBeVisible();
  }

  tab(name: TabName): Locator {
    return this.page.getByRole("tab", { name, exact: true });
  }

  async show(name: TabName): Promise<void> {
    await this.tab(name).click();
    await expect(this.tab(name)).toHaveAttribute("aria-selected", "true");
  }

  /** An item of the copy or save menu of the open record. */
  async choose(menu: "Copy" | "Save", item: string | RegExp): Promise<void> {
    await this.detail.getByRole("button", { name: menu, exact: true }).click();
    await this.page.getByRole("menuitem", { name: item }).click();
  }

  /** The row that the keyboard is on, as the accessibility tree has it. */
  async activeRow(): Promise<string> {
    const id = await this.list.getAttribute("aria-activedescendant");
    return id === null ? "" : this.list.locator(`#${id}`).innerText();
  }
}

/** Turns keeping off before the viewer starts: then nothing is read for the library. */
export async function keepNothing(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem("stackroom.keep", "off"));
}

/** Keeps what goes to the clipboard, which tests may neither read nor disturb. */
export async function keepCopies(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const copies: string[] = [];
    Object.assign(globalThis, { keptCopies: copies });
    const clipboard = { writeText: (text: string) => Promise.resolve(void copies.push(text)) };
    Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { keptCopies: string[] }).keptCopies);
}

export interface Saved {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Keeps what is saved, as it is handed to the browser: a stock Firefox tells its driver nothing of downloads. */
export async function keepSaves(page: Page): Promise<() => Promise<Saved[]>> {
  await page.addInitScript(() => {
    const blobs = new Map<string, Blob>();
    const saves: { name: string; type: string; blob: Blob | undefined }[] = [];
    Object.assign(globalThis, { keptSaves: saves });
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob: Blob) => {
      const address = createObjectURL(blob);
      blobs.set(address, blob);
      return address;
    };
    HTMLAnchorElement.prototype.click = function () {
      const blob = blobs.get(this.href);
      saves.push({ name: this.download, type: blob?.type ?? "", blob });
    };
  });
  return () =>
    page.evaluate(() => {
      const { keptSaves } = globalThis as unknown as { keptSaves: { name: string; type: string; blob?: Blob }[] };
      return Promise.all(keptSaves.map(async ({ name, type, blob }) => ({ name, type, text: (await blob?.text()) ?? "" })));
    });
}

export interface Origin {
  readonly address: string;
  /** Everything that was asked for, as `METHOD path`. */
  readonly asked: string[];
  /** Requests that the client gave up. */
  readonly dropped: string[];
  close(): Promise<void>;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a port of its own, hence another origin than the viewer's. */
export async function startOrigin(answer: Answer): Promise<Origin> {
  const asked: string[] = [];
  const dropped: string[] = [];
  const server = createServer((request, response) => {
    const what = `${request.method ?? ""} ${request.url ?? ""}`;
    asked.push(what);
    response.on("close", () => {
      if (!response.writableFinished) dropped.push(what);
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    dropped,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with the bytes, whole or those that a Range asks for. */
export function sendArchive(bytes: Uint8Array, request: IncomingMessage, response: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(bytes.length, Number(range?.[2] || Infinity) + 1);
  response.writeHead(range === null ? 200 : 206, {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Range",
    "Access-Control-Expose-Headers": "Content-Range",
    "Content-Type": "application/gzip",
    "Content-Length": end - start,
    ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  response.end(request.method === "OPTIONS" ? undefined : bytes.subarray(start, end));
}
