/** The Range header for one file: RFC 9110 section 14. One range is honoured; several are answered whole, as allowed. */

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** `whole` where the header is absent, not in bytes, malformed or multiple; `unsatisfiable` calls for a 416. */
export function rangeOf(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const suffix = Number(last);
    return suffix === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - suffix), end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}
