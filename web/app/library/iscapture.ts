/** Which records of a URL are captures of it. */
import type { RecordRow } from "stackroom";

/** What comes with captures and is none. */
const beside: ReadonlySet<RecordRow["type"]> = new Set(["request", "metadata", "warcinfo", "continuation"]);

export const isCapture = ({ type }: RecordRow): boolean => !beside.has(type);
