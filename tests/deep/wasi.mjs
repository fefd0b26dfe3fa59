// Runs a program in WASM that reads and writes files of a folder: `node wasi.mjs PROGRAM [ARGS...]`, as cargo calls it.
// The folder is STACKROOM_TEST_FOLDER, and all that it sees.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const folder = process.env.STACKROOM_TEST_FOLDER;
const wasi = new WASI({ version: "preview1", args: [program, ...args], env: process.env, preopens: { [folder]: folder } });
// By way of a function of ours: the short way from WASM into Node 20 breaks where memory has grown.
const { wasi_snapshot_preview1: calls } = wasi.getImportObject();
const mediated = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, (...given) => call(...given)]));
const { instance } = await WebAssembly.instantiate(readFileSync(program), { wasi_snapshot_preview1: mediated });
process.exit(wasi.start(instance));
