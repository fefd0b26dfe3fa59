/** Entry of the engine's worker: serves one engine to the page that made it, or to the engine that the page lends it to. */
import { Engine } from "./engine.js";
import { modules } from "./module.js";
import { serve, type Port } from "./port.js";
import { openSource } from "./source.js";

serve(self as unknown as Port, new Engine(openSource, modules).handlers());
