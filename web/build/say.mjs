/** What the build tells people: one line a fact, on stderr, so that stdout stays clean for data. */

export const say = (line) => process.stderr.write(`${line}\n`);

/** A reason to stop that a person can act on: what is wrong, why it matters, how to mend it. No stack is shown. */
export class Stop extends Error {}

export const stop = (what, why, how) => new Stop(`${what}: ${why}. ${how}`);

export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
export const seconds = (ms) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Says what begins and how long it may take, then how long it took. */
export async function step(what, expectation, work) {
  const start = performance.now();
  say(`stackroom: ${what}${expectation ? ` (${expectation})` : ""} ...`);
  const result = await work();
  say(`stackroom: ${what}: done in ${seconds(performance.now() - start)}`);
  return result;
}

/** Runs a script's main; a Stop ends it with its one line, anything else is a bug and keeps its stack. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say(`stackroom: ${error.message}`);
    process.exitCode = 1;
  }
}
