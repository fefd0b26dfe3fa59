// Types of ranged.mjs.

export interface Ranged {
  readonly url: string;
  asked: number[];
  hold: (name: string, start: number) => Promise<unknown> | undefined;
  knowsRange: boolean;
  close(): Promise<unknown>;
}
export function serveRanged(archives: ReadonlyMap<string, Uint8Array>): Promise<Ranged>;
