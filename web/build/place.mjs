/** Where things are: the repository, what it generates, and the per-user cache of tools. Paths only. */
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const at = (...parts) => join(root, ...parts);

export const dist = at("dist");
/** What the last build was made from. Beside cargo's own output, so that `rm -rf target` forgets both. */
export const stamps = at("target", "stamps");
/** Tools that the build compiles once and all clones of one user share. */
export const toolCache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "stackroom", "tools");
