/**
 * Makes a module smaller: `node web/build/shrink.mjs FROM TO`.
 * Nobody hears what a panic says, and all that follows is a trap: so each panic is that trap at once, and what puts its message
 * together goes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { at } from "./place.mjs";

const { default: binaryen } = await import(pathToFileURL(at("node_modules/binaryen/index.js")).href);

const features = ["MutableGlobals", "NontrappingFPToInt", "SIMD128", "BulkMemory", "BulkMemoryOpt", "SignExt", "ReferenceTypes", "Multivalue"];

/** What leads to a panic in the standard library, by names without their hashes; none of them ever returns. */
const panics = [
  /^core::panicking::/,
  /^core::(?:option|result)::(?:unwrap|expect)_failed$/,
  /^core::cell::panic_already_/,
  /^core::(?:slice|str)::.*_fail(?:_rt)?$/,
  /^core::slice::sort::.*::panic_on_ord_violation$/,
  /^alloc::raw_vec::(?:handle_error|capacity_overflow)$/,
  /^alloc::alloc::handle_alloc_error$/,
  /^__rustc::rust_begin_unwind$/,
];

const withoutHashes = (name) => name.replace(/\[[0-9a-f]{1,16}\]/g, "").replace(/::h[0-9a-f]{16}$/, "");

function trapAtOnce(module) {
  let count = 0;
  for (let at = 0; at < module.getNumFunctions(); at++) {
    const one = module.getFunctionByIndex(at);
    const { name, body } = binaryen.getFunctionInfo(one);
    if (!panics.some((pattern) => pattern.test(withoutHashes(name)))) continue;
    // Zero where it is imported.
    if (body === 0 || binaryen.getExpressionType(body) !== binaryen.unreachable) throw new Error(`${name} may return: it is no panic`);
    binaryen.Function.setBody(one, module.unreachable());
    count += 1;
  }
  if (count === 0) throw new Error("the module names no function that panics: its names were taken away before");
}

const [from, to] = process.argv.slice(2);
const module = binaryen.readBinary(readFileSync(from));
module.setFeatures(features.reduce((all, name) => all | binaryen.Features[name], 0));
trapAtOnce(module);
binaryen.setOptimizeLevel(3);
binaryen.setShrinkLevel(0);
// The lowest kilobyte is the very end of the stack.
binaryen.setLowMemoryUnused(true);
module.optimize();
module.runPasses(["strip-debug", "strip-producers", "strip-target-features"]);
writeFileSync(to, module.emitBinary());
