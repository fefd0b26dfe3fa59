/** Where a command writes an archive: standard output, or a file that is there only when it is whole. */

import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";

import { UsageError, write } from "./command.js";

export interface OutputOptions {
  /** A path, or `-`. */
  readonly path: string;
  readonly gzip?: boolean | undefined;
  readonly append?: boolean | undefined;
}

/** Formats that a name promises and that are not written. */
const NOT_WRITTEN = /\.(?:zst|wacz|zip|arc|arc\.gz|har|cdxj?|cdx\.gz|bz2|xz|lz4)$/i;

export class Output {
  readonly isGzip: boolean;
  /** The name that goes into the archive. */
  readonly name: string;
  readonly #path: string;
  readonly #isAppended: boolean;
  #file: FileHandle | undefined;

  private constructor(path: string, isGzip: boolean, isAppended: boolean) {
    this.#path = path;
    this.isGzip = isGzip;
    this.#isAppended = isAppended;
    this.name = path === "-" ? "" : basename(path);
  }

  /** Checks what can be checked before anything is read. */
  static async to({ path, gzip, append = false }: OutputOptions, sources: readonly string[]): Promise<Output> {
    if (path === "-") {
      if (append) throw new UsageError("--append needs a file");
      return new Output(path, gzip ?? false, false);
    }
    if (NOT_WRITTEN.test(path)) throw new UsageError(`${path}: WARC files are written, as .warc or .warc.gz`);
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isDirectory()) throw new UsageError(`${path} is a folder`);
    for (const source of facts ? sources : []) {
      const origin = await stat(source).catch(() => undefined);
      if (origin && origin.ino === facts?.ino && origin.dev === facts.dev) throw new UsageError(`${path} is read and cannot be written at once`);
    }
    const known = append && facts && facts.size > 0 ? await isGzipFile(path) : undefined;
    if (known !== undefined && gzip !== undefined && known !== gzip) {
      throw new UsageError(`${path} is ${known ? "" : "not "}compressed, so what is appended must ${known ? "" : "not "}be`);
    }
    return new Output(path, known ?? gzip ?? /\.gz$/i.test(path), append);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#path === "-") return write(bytes);
    this.#file ??= await open(this.#isAppended ? this.#path : this.#draft, this.#isAppended ? "a" : "w");
    await this.#file.writeFile(bytes);
  }

  /** All is written: the file takes its name. */
  async finish(): Promise<void> {
    await this.write(new Uint8Array(0));
    await this.#file?.close();
    if (this.#file && !this.#isAppended) await rename(this.#draft, this.#path);
    this.#file = undefined;
  }

  /** Nothing came of it: whatever was there before stays. */
  async discard(): Promise<void> {
    await this.#file?.close();
    if (this.#file && !this.#isAppended) await rm(this.#draft, { force: true });
    this.#file = undefined;
  }

  get #draft(): string {
    return `${this.#path}.part`;
  }
}

async function isGzipFile(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
