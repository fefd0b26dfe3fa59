/** Names of languages by their tags, in the language of the viewer. */
import { visible } from "../content/visible.js";
import { words } from "./words.js";

const names = new Intl.DisplayNames(["en"], { type: "language" });

export function languageName(tag: string): string {
  if (tag === "" || tag === "und") return words.noLanguage;
  try {
    return names.of(tag) ?? tag;
  } catch {
    // Whatever a page says.
    return visible(tag, 40);
  }
}
