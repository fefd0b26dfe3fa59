/** Signatures of packages: what WebCrypto says of them, and what that proves. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { checkArchive, inspectArchive, openArchive } from "stackroom";
import { proven, type SignatureFact } from "../../web/lib/signatures.js";
import init, * as tools from "../../web/lib/wasm/tools.js";
import { certificate, pairOf, pem, signed, spki, stamp, type Kind, type Pair } from "../fixtures/certificates.js";
import { allCases } from "../fixtures/cases.mjs";

const HASH = "sha256:0123456789abcdef";
const KINDS: readonly Kind[] = ["P-256", "P-384", "P-521", "RSA", "RSA-PSS"];

beforeAll(async () => {
  await init({ module_or_path: readFileSync(new URL("../../web/lib/wasm/tools_bg.wasm", import.meta.url)) });
});

type Data = Record<string, string>;

async function told(data: Data, digest: SignatureFact["digest"] = "holds"): Promise<SignatureFact> {
  const unproven = { aside: "signature", source: 0, file: "datapackage-digest.json", digest, is_signed: true, words: "" } as const;
  const text = JSON.stringify({ path: "datapackage.json", hash: HASH, signedData: { hash: HASH, created: "2024-03-01T12:00:00Z", ...data } });
  return proven({ ...unproven, signed: text }, () => Promise.resolve(tools));
}

function byKey(pair: Pair): Data {
  return { signature: signed(pair, Buffer.from(HASH)).toString("base64"), publicKey: spki(pair).toString("base64") };
}

/** Signed in the name of a domain, with a time stamp; each authority of that kind. */
function byDomain(kind: Kind): Data {
  const root = certificate("Root", pairOf(kind), undefined);
  const between = certificate("Between", pairOf(kind), root);
  const own = pairOf(kind);
  const signature = signed(own, Buffer.from(HASH)).toString("base64");
  const stamps = certificate("Stamps", pairOf(kind), root, { stampsTime: true });
  const crossing = certificate("Second authority", pairOf("P-256"), undefined);
  return {
    signature,
    domain: "signer.example",
    domainCert: pem([certificate("signer.example", own, between, { hosts: ["signer.example"] }), between, root]),
    timeSignature: stamp(signature, "20240301120500Z", stamps).toString("base64"),
    timestampCert: pem([stamps, root]),
    crossSignedCert: pem([certificate("signer.example", own, crossing, { hosts: ["signer.example"] }), crossing]),
  };
}

/** A text in base 64 with one bit of a byte turned over. */
function turned(text: string, at: number): string {
  const bytes = Buffer.from(text, "base64");
  bytes.writeUInt8(bytes.readUInt8(bytes.length - at) ^ 1, bytes.length - at);
  return bytes.toString("base64");
}

describe.each(KINDS)("a signature with %s", (kind) => {
  test("fits its key, and no other one, and nothing that was changed", async () => {
    const data = byKey(pairOf(kind));
    const good = await told(data);
    expect(good.is_valid).toBe(true);
    expect(good.words).toContain(kind.startsWith("RSA") ? "RSA of 2048 bits" : `ECDSA on the curve ${kind}`);
    expect(good.words).toContain("is not proven");

    const other = byKey(pairOf(kind));
    for (const bad of [{ ...data, signature: other.signature ?? "" }, { ...data, publicKey: other.publicKey ?? "" }, { ...data, signature: turned(data.signature ?? "", 1) }, { ...data, signature: "AAAA" }]) {
      const refused = await told(bad);
      expect(refused.is_valid).toBe(false);
      expect(refused.words).toContain("does not fit the manifest and the key");
    }
    expect((await told(data, "differs")).is_valid).toBe(false);
    expect((await told({ ...data, hash: "sha256:ff" })).is_valid).toBe(false);
  });

  test("in the name of a domain holds with its chains and its time stamp, and with nothing else", async () => {
    const data = byDomain(kind);
    const good = await told(data);
    expect(good.words).toContain("names \"signer.example\"");
    expect(good.words).toContain("The chain of the certificate is whole up to \"Root\"");
    expect(good.words).toContain("The chain of the certificate of the second authority is whole up to \"Second authority\"");
    expect(good.words).toContain("it was signed at 2024-03-01T12:05:00Z or before");
    expect(good).toMatchObject({ is_valid: true, stamped: "2024-03-01T12:05:00Z", signer: "signer.example" });

    const other = byDomain(kind);
    const swapped = async (name: string): Promise<SignatureFact> => told({ ...data, [name]: other[name] ?? "" });
    expect((await swapped("signature")).words).toContain("does not fit the manifest and the key");
    expect((await swapped("domainCert")).words).toContain("does not fit the manifest and the key");
    expect((await swapped("crossSignedCert")).words).toContain("does not fit the certificate of the second authority");
    expect((await swapped("timeSignature")).is_valid).toBe(false);
    expect((await swapped("timestampCert")).is_valid).toBe(false);
    expect((await told({ ...data, timeSignature: turned(data.timeSignature ?? "", 1) })).words).toContain("The time stamp does not fit");
    expect((await told({ ...data, domain: "other.example" })).words).toContain("is not one of");
    expect((await told({ ...data, created: "2024-03-01T11:00:00Z" })).words).toContain("not within ten minutes");
    // A signed certificate whose signature was changed: the last byte of the first one.
    const [first = "", ...rest] = (data.domainCert ?? "").split("-----END CERTIFICATE-----\n");
    const body = first.split("\n")[1] ?? "";
    const forged = [first.replace(body, turned(body, 1)), ...rest].join("-----END CERTIFICATE-----\n");
    expect((await told({ ...data, domainCert: forged })).words).toContain("The chain of the certificate is broken");
    const { timeSignature: _, ...undated } = data;
    const open = await told(undated);
    expect(open.is_valid).toBeUndefined();
    expect(open.words).toContain("There is no time stamp");
  });
});

test("where there is no WebCrypto, it is said why nothing was verified", async () => {
  const data = byDomain("P-256");
  vi.stubGlobal("crypto", {});
  try {
    const unsure = await told(data);
    expect(unsure.is_valid).toBeUndefined();
    expect(unsure.words).toContain("only for pages that come by HTTPS or from this computer");
    expect(unsure.words).not.toContain("The signature fits");
    // What needs no arithmetic is found all the same.
    expect((await told({ ...data, hash: "sha256:ff" })).is_valid).toBe(false);
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("of files", () => {
  const fixture = (name: string): Uint8Array => {
    const found = allCases(["containers"]).find((one) => one.name.endsWith(`/${name}`));
    if (!found) throw new Error(`there is no fixture ${name}`);
    return found.bytes;
  };
  const factOf = async (source: Uint8Array | string): Promise<SignatureFact | undefined> => {
    const archive = await openArchive(source);
    await archive.indexed;
    const facts = await archive.facts();
    await archive.close();
    expect(facts.filter((fact) => "signed" in fact)).toEqual([]);
    return facts.find((fact): fact is SignatureFact => fact.aside === "signature");
  };

  test("an opened package tells what its signature proves", async () => {
    expect(await factOf(fixture("signed.wacz"))).toMatchObject({ is_signed: true, is_valid: true, digest: "holds" });
    expect(await factOf(fixture("signature-of-something-else.wacz"))).toMatchObject({ is_signed: true, is_valid: false });
    expect(await factOf(fixture("stored.wacz"))).toMatchObject({ is_signed: false });
  });

  test("a signature that does not fit is a problem and damage, after everything else", async () => {
    const problems = [];
    for await (const line of checkArchive(fixture("signature-of-something-else.wacz"))) problems.push(line);
    expect(problems.at(-2)).toMatchObject({ problem: "wacz/bad-signature", offset: 0 });
    expect(problems.at(-1)).toMatchObject({ checked: true, problems: 1 });
    const lines = [];
    for await (const line of inspectArchive(fixture("signature-of-something-else.wacz"))) lines.push(line);
    expect(lines.at(-1)).toMatchObject({ damage: "wacz/bad-signature" });
    for await (const line of checkArchive(fixture("signed.wacz"))) expect(line).toMatchObject({ checked: true, problems: 0 });
  });

  const corpus = process.env["STACKROOM_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));
  test.skipIf(!existsSync(corpus))("real packages hold", async () => {
    for (const file of ["replayweb.page/example.wacz", "replayweb.page/iframetest.wacz", "py-wacz/valid_signed_example_1.wacz"]) {
      expect(await factOf(readFileSync(`${corpus}/files/${file}`)), file).toMatchObject({ is_signed: true, is_valid: true });
    }
  });
});
