/** Documents as the engine writes them, read by the tests' own means. */

export interface ReadDocument {
  readonly row: number;
  readonly kind: string;
  readonly isFragment: boolean;
  readonly isCut: boolean;
  readonly isPartial: boolean;
  readonly title: string;
  readonly language: string;
  readonly description: string;
  readonly icon: string;
  readonly canonical: string;
  readonly redirect: string;
  readonly base: string;
  readonly text: string;
  readonly links: readonly (readonly [kind: string, url: string])[];
}

const KINDS = ["html", "xhtml", "text", "json", "xml", "feed", "pdf", "redirect"];
const LINKS = ["anchor", "media", "frame", "script", "style", "form", "other"];

export function* documentsIn(bytes: Uint8Array): Generator<ReadDocument> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  const number = (): number => {
    for (let [value, unit] = [0, 1]; ; unit *= 128) {
      const byte = bytes[at++] ?? Number.NaN;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const text = (): string => {
    const length = number();
    return decoder.decode(bytes.subarray(at, (at += length)));
  };
  while (at < bytes.length) {
    const [row, kind, flags] = [number(), KINDS[number()] ?? "?", number()];
    const [title, language, description, icon, canonical, redirect, base, content] = Array.from({ length: 8 }, text) as [string, string, string, string, string, string, string, string];
    const links = Array.from({ length: number() }, () => [LINKS[number()] ?? "?", text()] as const);
    const [isFragment, isCut, isPartial] = [(flags & 1) !== 0, (flags & 2) !== 0, (flags & 4) !== 0];
    yield { row, kind, isFragment, isCut, isPartial, title, language, description, icon, canonical, redirect, base, text: content, links };
  }
}
