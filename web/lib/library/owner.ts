/** Entry of the library's worker, of which the one of the owning tab runs. */
import { serveLibrary } from "./serving.js";

serveLibrary();
