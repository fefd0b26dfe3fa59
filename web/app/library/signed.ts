/**
 * Links that a signature opens for a while, as S3, Google Cloud Storage, Azure and CloudFront make them. What they lead to is
 * known by its address without that: another link to it is the same archive, and no key to it is kept.
 */

/** By the prefix of all, or by name where that could mean something else by itself. */
const prefixes = ["x-amz-", "x-goog-"];
const s3 = ["awsaccesskeyid", "googleaccessid", "key-pair-id", "signature", "expires", "policy"];
const azure = ["sv", "ss", "srt", "sr", "st", "se", "sp", "sip", "spr", "skoid", "sktid", "skt", "ske", "sks", "skv", "sdd", "sig"];

/** A fragment is sent to no server: it says that a link is needed. */
const mark = "#signed";

/** The address without its signature, marked if it had one. */
export function unsigned(url: URL): string {
  const names = [...new Set([...url.searchParams.keys()])];
  const lower = names.map((name) => name.toLowerCase());
  const has = (...all: string[]): boolean => all.every((name) => lower.includes(name));
  const isDropped = (name: string): boolean =>
    prefixes.some((prefix) => name.startsWith(prefix)) || (has("signature") && s3.includes(name)) || (has("sig", "sv") && azure.includes(name));
  const dropped = names.filter((name) => isDropped(name.toLowerCase()));
  if (dropped.length === 0) return url.href;
  const bare = new URL(url);
  for (const name of dropped) bare.searchParams.delete(name);
  bare.hash = mark;
  return bare.href;
}

export const isSigned = (source: string): boolean => /^https?:/.test(source) && source.endsWith(mark);
