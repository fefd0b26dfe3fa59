/**
 * Which parameters of a URL do not matter: those that keep caches away or name a function of the page. By their shape
 * alone, no site is known by name.
 */

/** Names under which a page says which of its functions is to be called. */
const CALLBACKS = new Set(["callback", "jsonp", "jsoncallback", "jsonpcallback", "cb"]);
/** Names of what only makes an address new. */
const BUSTERS = new Set(["_", "__", "cb", "cachebuster", "cachebust", "cache_bust", "nocache", "rand", "random", "rnd", "timestamp", "ts", "_t", "_ts", "t", "time", "now", "nc", "ord", "dc", "v_"]);
/** Seconds or milliseconds of our time, or a random number. */
const NUMBER_OF_NO_MEANING = /^(?:0?\.\d{6,}|\d{9,20}(?:\.\d+)?)$/;
/** As libraries make up for each call. */
const MADE_UP_NAME = /^[A-Za-z_$][\w$.]*$/;

function fieldsOf(query: string): [name: string, value: string][] {
  return query.split("&").filter((field) => field !== "").map((field) => {
    const at = field.indexOf("=");
    return at < 0 ? [field, ""] : [field.slice(0, at), field.slice(at + 1)];
  });
}

const isCallback = ([name, value]: [string, string]): boolean => CALLBACKS.has(name.toLowerCase()) && MADE_UP_NAME.test(value);

/** `_=1700000000000`, `cb=0.1234567`, and a number alone. */
function isBuster([name, value]: [string, string]): boolean {
  if (value === "") return /^\d{9,}$/.test(name);
  return BUSTERS.has(name.toLowerCase()) && (NUMBER_OF_NO_MEANING.test(value) || (name === "_" && /^\d+$/.test(value)));
}

/** The same for URLs that differ in nothing that matters. */
export function loosened(url: string): string {
  const at = url.indexOf("?");
  if (at < 0) return url;
  const fields = fieldsOf(url.slice(at + 1)).filter((field) => !isCallback(field) && !isBuster(field));
  const rest = fields.map(([name, value]) => `${name}=${value}`).sort();
  return rest.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${rest.join("&")}`;
}

/** The name of the function that the answer to this URL calls. */
export function callbackOf(url: string): string | undefined {
  const at = url.indexOf("?");
  return at < 0 ? undefined : fieldsOf(url.slice(at + 1).replace(/#.*$/s, "")).find(isCallback)?.[1];
}
