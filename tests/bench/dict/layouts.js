// The layouts by name, as the module is told of them: `bucket20` is the bucketed hash with 20 strings in a bucket.

export const LAYOUTS = ["brute", "binary", "tree", "hash", "bucket10", "bucket20", "bucket50", "bucket100", "bucket200", "tagged"];

/** Name and strings in a bucket. */
export function layoutOf(name) {
  const [, kind, each] = /^([a-z]+)(\d*)$/.exec(name);
  return { kind, each: Number(each || 0) };
}
