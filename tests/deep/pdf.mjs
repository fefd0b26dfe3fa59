/**
 * What we read in PDFs, and what two other readers do: the words of each, as often as they are there. Files are made by two
 * programs that write PDFs; STACKROOM_PDFS names a folder with other people's.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { at } from "../../web/build/place.mjs";
import { python } from "../peers/readers.mjs";
import { failure } from "../rings/program.mjs";

const FOLDER = at("target/deep/pdf");
const PACKAGES = ["pypdf==7.1.1", "pdfminer.six==20260107", "reportlab==5.1.0", "fpdf2==2.8.9"];
/** Of the words of the reader that is nearer to ours; where formulas are drawn nobody agrees with anybody. */
const ALIKE_MADE = 0.995;
const ALIKE_FOUND = 0.9;

/** The texts of a document as the module hands it over, see crate/src/document/encoded.rs. */
function documentOf(bytes) {
  let place = 0;
  const number = () => {
    for (let [value, unit] = [0, 1]; ; unit *= 128) {
      const byte = bytes[place++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  for (let n = 0; n < 3; n += 1) number();
  const text = () => {
    const length = number();
    return new TextDecoder().decode(bytes.subarray(place, (place += length)));
  };
  const [title, language] = [text(), text()];
  for (let n = 0; n < 5; n += 1) text();
  return { title, language, text: text() };
}

const LIGATURES = { "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl" };

/** Words with how often they are there, and letters of scripts without blanks; those that were divided at the end of a line are whole, as ours are. */
function wordsOf(text) {
  const plain = text.replace(/[\ufb00-\ufb04]/g, (letter) => LIGATURES[letter]).replace(/(?<=\p{L})[-\u00ad\u2010]\s*\n\s*(?=\p{Ll})/gu, "");
  const counts = new Map();
  for (const [word] of plain.toLowerCase().matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const total = (words) => [...words.values()].reduce((sum, count) => sum + count, 0);

/** How much of both is in both: 1 where they are the same. */
function likeness(ours, theirs) {
  const both = [...ours].reduce((sum, [word, count]) => sum + Math.min(count, theirs.get(word) ?? 0), 0);
  const all = total(ours) + total(theirs);
  return all === 0 ? 1 : (2 * both) / all;
}

export async function runPdf() {
  const { interpreter, missing } = python("pdf", PACKAGES);
  if (!interpreter) return [failure("pdf", missing)];
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const program = at("tests/peers/pdfs.py");
  const made = spawnSync(interpreter, [program, "make", FOLDER], { encoding: "utf8" });
  if (made.status !== 0) return [failure("pdf", made.stderr.slice(-500))];
  const inFolder = (folder) => (folder && existsSync(folder) ? readdirSync(folder).filter((name) => /\.pdf$/i.test(name)).sort().map((name) => join(folder, name)) : []);
  const files = [...inFolder(FOLDER), ...inFolder(process.env.STACKROOM_PDFS)];
  const others = spawnSync(interpreter, [program], { input: files.join("\n"), encoding: "utf8", maxBuffer: 1 << 28 });
  if (others.status !== 0) return [failure("pdf", others.stderr.slice(-500))];
  const { default: init, read_pdf } = await import(pathToFileURL(at("web/lib/wasm/pdf.js")).href);
  await init({ module_or_path: readFileSync(at("web/lib/wasm/pdf_bg.wasm")) });
  return others.stdout.trim().split("\n").map((line) => compared(JSON.parse(line), read_pdf));
}

function compared({ file, title, pypdf, pdfminer }, read) {
  const name = basename(file);
  const isMade = file.startsWith(FOLDER);
  const bytes = read(readFileSync(file));
  const ours = bytes && documentOf(bytes);
  const told = [pypdf, pdfminer].filter((text) => typeof text === "string");
  if (!ours) return told.every((text) => wordsOf(text).size === 0) ? good(`${name}: none of us reads it`) : failure(name, "others read it");
  const words = wordsOf(ours.text);
  const alike = told.map((text) => likeness(words, wordsOf(text)));
  const most = Math.max(0, ...alike);
  const figure = `${name}: ${total(words)} words, like pypdf's and pdfminer's by ${alike.map((one) => one.toFixed(3)).join(" and ")}`;
  if (told.length > 0 && most < (isMade ? ALIKE_MADE : ALIKE_FOUND)) return failure(name, figure);
  if (isMade && ours.title !== (title === "untitled" ? "" : title)) return failure(name, `its title is ${ours.title}, not ${title}`);
  return good(figure);
}

const good = (figure) => ({ passed: 1, failed: 0, skipped: [], failures: [], figures: [figure] });
