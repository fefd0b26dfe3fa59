/** Requests that scripts make, and what their answers say of where they came from. */

import { accessor, constructor, methodArgs, method } from "./natives.js";
import { mapped, told } from "./place.js";

/** A digest of what was archived does not hold for a script that was edited. */
function withoutIntegrity(init: unknown): unknown {
  return typeof init === "object" && init !== null && "integrity" in init ? { ...init, integrity: "" } : init;
}

const isRequest = (input: unknown): boolean => typeof input === "object" && input !== null && "clone" in input && "headers" in input;

function mapRequest(args: unknown[]): void {
  if (!isRequest(args[0])) args[0] = mapped(args[0]);
  if (args.length > 1) args[1] = withoutIntegrity(args[1]);
}

export function mapRequests(): void {
  methodArgs(globalThis, "fetch", mapRequest);
  constructor("Request", mapRequest);
  for (const name of ["Request", "Response"]) accessor(name, "url", told);
  methodArgs("XMLHttpRequest", "open", (args) => void (args[1] = mapped(args[1])));
  accessor("XMLHttpRequest", "responseURL", told);
  constructor("EventSource", (args) => void (args[0] = mapped(args[0])));
  accessor("EventSource", "url", told);
  constructor("Audio", (args) => void (args.length > 0 && (args[0] = mapped(args[0]))));
  accessor("PerformanceEntry", "name", told);
  method("Navigator", "sendBeacon", () => true);
}
