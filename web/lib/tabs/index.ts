/** Many tabs, one owner: what a page and the owner's worker need. */
export type { Claim } from "./claim.js";
export type { SharedFiles } from "./files.js";
export { hostOwner, type Owned, type OpenOwned, type Page } from "./host.js";
export { REPEATABLE, Tab, type TabOptions } from "./tab.js";
export type { Pace } from "./words.js";
