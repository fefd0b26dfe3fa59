/** `cdx FILE...`: a sorted capture index of archives, as CDXJ, as CDX of eleven columns, or as a ZipNum cluster. */

import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { ArchiveError, makeIndex, type IndexFormat, type IndexPiece } from "../lib/node.js";
import { COMMON, DAMAGED, UNUSABLE, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { memberOf } from "./member.js";

const FORMATS: readonly IndexFormat[] = ["cdxj", "cdx11", "zipnum"];
const OPTIONS = { ...COMMON, format: { type: "string" }, output: { type: "string", short: "o" } } as const;
/** What the files of a cluster are called after its name. */
const ENDINGS: Readonly<Record<IndexPiece["of"], string>> = { index: ".idx", blocks: ".cdx.gz", places: ".loc" };

export const cdx: Command = {
  synopsis: "cdx FILE... [--format cdxj|cdx11|zipnum] [-o OUT]",
  purpose: "a sorted index of archives, for pywb and others",
  async run(args) {
    const { values, positionals: files } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    if (files.length === 0) throw new UsageError("cdx needs a file");
    const format = formatOf(values.format, values.output);
    const out = await Outputs.to(format, values.output);
    let exit = USABLE;
    const onDamage = (damage: { damage: string; offset: number; message: string }, name: string): void => {
      exit = DAMAGED;
      process.stderr.write(`stackroom: ${name}: ${damage.message} [${damage.damage}] at byte ${damage.offset}\n`);
    };
    try {
      for await (const piece of makeIndex(files.map(memberOf), { format, part: out.part, onDamage })) await out.write(piece);
      await out.finish();
    } catch (error) {
      await out.discard();
      if (!(error instanceof ArchiveError)) throw error;
      process.stderr.write(`stackroom: ${error.message} [${error.code}]\n`);
      return UNUSABLE;
    }
    return exit;
  },
};

function formatOf(stated: string | undefined, output: string | undefined): IndexFormat {
  const known = FORMATS.find((format) => format === stated);
  if (known) return known;
  if (stated !== undefined) throw new UsageError(`--format is ${FORMATS.join(", ")}, not "${stated}"`);
  if (output?.endsWith(".idx")) return "zipnum";
  return output?.endsWith(".cdx") ? "cdx11" : "cdxj";
}

/** The files of an index; they are there only when they are whole. */
class Outputs {
  readonly part: string;
  readonly #paths: Readonly<Record<IndexPiece["of"], string>> | undefined;
  readonly #files = new Map<string, FileHandle>();

  private constructor(part: string, paths?: Readonly<Record<IndexPiece["of"], string>>) {
    this.part = part;
    this.#paths = paths;
  }

  static async to(format: IndexFormat, output: string | undefined): Promise<Outputs> {
    if (format !== "zipnum") {
      if (output === undefined || output === "-") return new Outputs("index");
      return new Outputs("index", { index: output, blocks: output, places: output });
    }
    if (output === undefined || output === "-") throw new UsageError("a ZipNum cluster is three files: say with -o what they are called");
    const isFolder = await stat(output).then((facts) => facts.isDirectory(), () => false);
    const stem = isFolder ? join(output, "index") : output.replace(/\.idx$/, "");
    const at = (of: IndexPiece["of"]): string => join(dirname(stem), basename(stem) + ENDINGS[of]);
    return new Outputs(basename(stem), { index: at("index"), blocks: at("blocks"), places: at("places") });
  }

  async write({ of, bytes }: IndexPiece): Promise<void> {
    if (!this.#paths) return write(bytes);
    const path = this.#paths[of];
    const file = this.#files.get(path) ?? (await open(`${path}.part`, "w"));
    this.#files.set(path, file);
    await file.writeFile(bytes);
  }

  async finish(): Promise<void> {
    for (const [path, file] of this.#files) {
      await file.close();
      await rename(`${path}.part`, path);
    }
    this.#files.clear();
  }

  async discard(): Promise<void> {
    for (const [path, file] of this.#files) {
      await file.close();
      await rm(`${path}.part`, { force: true });
    }
  }
}
