/** Documents as `Document::write` in the crate writes them. */

export interface ToldDocument {
  readonly row: number;
  readonly kind: number;
  readonly flags: number;
  readonly title: string;
  readonly language: string;
  readonly text: string;
  readonly links: readonly { readonly kind: number; readonly url: string }[];
}

export function encodeDocuments(documents: readonly ToldDocument[]): Uint8Array {
  const bytes: number[] = [];
  const number = (value: number): void => {
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
    bytes.push(value);
  };
  const text = (value: string): void => {
    const encoded = new TextEncoder().encode(value);
    number(encoded.length);
    for (const byte of encoded) bytes.push(byte);
  };
  for (const { row, kind, flags, title, language, text: body, links } of documents) {
    for (const value of [row, kind, flags]) number(value);
    for (const value of [title, language, "", "", "", "", "", body]) text(value);
    number(links.length);
    for (const link of links) {
      number(link.kind);
      text(link.url);
    }
  }
  return new Uint8Array(bytes);
}
