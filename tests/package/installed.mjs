/** Packs the package once per test file and installs it in a fresh folder outside the repository, as a stranger would. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../web/build/place.mjs";
import { concat, httpResponse, warcGz, warcRecord } from "../fixtures/warc.mjs";

/** Settings of the `npm test` that runs us, which would leak into another project's npm. */
const cleanEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:cache|registry|userconfig|cafile))|^INIT_CWD$/i.test(name)));

export function npm(cwd, ...args) {
  const script = process.env.npm_execpath;
  const [program, first] = script?.endsWith(".js") ? [process.execPath, [script]] : ["npm", []];
  return execFileSync(program, [...first, ...args], { cwd, env: cleanEnvironment(), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** `npm pack`: the tarball and the paths in it. The caller removes the folder. */
export function pack() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "stackroom-package-")));
  const [packed] = JSON.parse(npm(at("."), "pack", "--json", "--ignore-scripts", "--pack-destination", folder));
  return {
    folder,
    tarball: join(folder, packed.filename),
    paths: packed.files.map((file) => file.path),
    unpackedBytes: packed.unpackedSize,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A fresh project beside the tarball, with the package installed and nothing else. */
export function project(packed, name) {
  const folder = join(packed.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", packed.tarball);
  return {
    folder,
    write: (path, content) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), content);
      return join(folder, path);
    },
  };
}

export const tinyUrls = ["http://example.org/", "http://example.org/picture"];

const records = tinyUrls.map((url) =>
  warcRecord({ url, block: httpResponse({ headers: { "Content-Type": "text/plain" }, body: `body of ${url}` }) }),
);

/** Two responses, record-wise gzip. */
export const tinyArchive = () => warcGz(...records);

/** The same, plain: development servers like to send .gz files with a content coding, which makes them other files. */
export const tinyPlain = () => concat(...records);
