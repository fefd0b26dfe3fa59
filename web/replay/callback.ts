/** The function of a page that a script which is fetched calls: its name stands in the address. What else of addresses does not matter, the crate knows. */

/** Names under which a page says which of its functions is to be called. */
const CALLBACKS = new Set(["callback", "jsonp", "jsoncallback", "jsonpcallback", "cb"]);
/** As libraries make up for each call. */
const MADE_UP_NAME = /^[A-Za-z_$][\w$.]*$/;

function fieldsOf(query: string): [name: string, value: string][] {
  return query.split("&").filter((field) => field !== "").map((field) => {
    const at = field.indexOf("=");
    return at < 0 ? [field, ""] : [field.slice(0, at), field.slice(at + 1)];
  });
}

const isCallback = ([name, value]: [string, string]): boolean => CALLBACKS.has(name.toLowerCase()) && MADE_UP_NAME.test(value);

/** The name of the function that the answer to this URL calls. */
export function callbackOf(url: string): string | undefined {
  const at = url.indexOf("?");
  return at < 0 ? undefined : fieldsOf(url.slice(at + 1).replace(/#.*$/s, "")).find(isCallback)?.[1];
}
