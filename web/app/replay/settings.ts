/**
 * Where this viewer replays, as who hosts it says in its page: `<meta name="stackroom-replay" content='SETTING'>`, a JSON
 * object or a list of them, as `ReplaySetting` of the package has them. What comes first is tried first; last of all,
 * unless it says "none", is what needs nothing but this address.
 */
import type { ReplaySetting } from "stackroom/replay";

const isLocal = /(?:^|\.)localhost$/;

export function settings(): readonly ReplaySetting[] {
  const stated = document.querySelector<HTMLMetaElement>('meta[name="stackroom-replay"]')?.content ?? "";
  const given = stated === "" ? preset() : read(stated);
  const until = given.findIndex(({ mode }) => mode === "none");
  return until < 0 ? [...given, { mode: "same" }] : given.slice(0, until);
}

/** Below localhost every name is this machine. */
const preset = (): readonly ReplaySetting[] =>
  isLocal.test(location.hostname) ? [{ mode: "wildcard", template: `${location.protocol}//{label}.${location.host}` }] : [];

function read(stated: string): readonly ReplaySetting[] {
  try {
    const given = JSON.parse(stated) as unknown;
    return (Array.isArray(given) ? given : [given]).filter(isSetting);
  } catch {
    return [];
  }
}

function isSetting(given: unknown): given is ReplaySetting {
  if (typeof given !== "object" || given === null) return false;
  const { mode, template, origin, scope } = given as Record<string, unknown>;
  if (mode === "wildcard") return typeof template === "string";
  if (mode === "single") return typeof origin === "string";
  return mode === "none" || (mode === "same" && (scope === undefined || typeof scope === "string"));
}
