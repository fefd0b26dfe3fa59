/** JSON lines, as the engine tells of most things. */

export function parseLines<T>(lines: string): T[] {
  return lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
