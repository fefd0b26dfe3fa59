/** Signatures of packages: the engine says what is to be verified, WebCrypto does it, and the engine says what that proves. */

import { parseLines } from "./lines.js";
import type { ToolsExports } from "./module.js";
import type { ArchiveFact } from "./shapes.js";
import type { Proof } from "./wasm/tools.js";

export type SignatureFact = Extract<ArchiveFact, { aside: "signature" }>;

/** As the engine tells of one that is not verified yet: with the text that is signed. */
export type Unproven = SignatureFact & { readonly signed?: string };

/** As the engine takes them. */
const DIFFERS = 0;
const FITS = 1;
const UNKNOWN = 2;
const FORBIDDEN = 3;

/** The same with what holds of it, where something is signed. */
export async function proven({ signed, ...fact }: Unproven, tools: () => Promise<Pick<ToolsExports, "Proof">>): Promise<SignatureFact> {
  if (signed === undefined) return fact;
  const proof = (await tools()).Proof.of(signed, fact.digest);
  if (!proof) return fact;
  try {
    const answers: number[] = [];
    for (let at = 0; at < proof.count(); at++) answers.push(await answer(proof, at));
    const [told] = parseLines<SignatureFact>(proof.told(fact.file, Uint8Array.from(answers)));
    return { ...fact, ...told };
  } finally {
    proof.free();
  }
}

async function answer(proof: Proof, at: number): Promise<number> {
  // Pages that came by plain HTTP have none.
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return FORBIDDEN;
  const algorithm = JSON.parse(proof.algorithm(at)) as RsaHashedImportParams & EcKeyImportParams & EcdsaParams & RsaPssParams;
  try {
    const key = await subtle.importKey("spki", Uint8Array.from(proof.key(at)), algorithm, false, ["verify"]);
    const fits = await subtle.verify(algorithm, key, Uint8Array.from(proof.signature(at)), Uint8Array.from(proof.message(at)));
    return fits ? FITS : DIFFERS;
  } catch (error) {
    // A key that is none fits nothing.
    return (error as Error).name === "NotSupportedError" ? UNKNOWN : DIFFERS;
  }
}
