/**
 * One build at a time in one clone: a file names the process whose turn it is.
 * A process that died leaves the file behind; the next one sees that nobody lives there and takes over.
 */
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stamps } from "./place.mjs";
import { say } from "./say.mjs";

const file = join(stamps, "turn");

function take() {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** The process that holds the turn, or null where it has ended. */
function holder() {
  let pid;
  try {
    pid = Number(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
  // Just created and not yet written: somebody is there.
  if (pid === 0) return -1;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === "EPERM" ? pid : null;
  }
}

/** Removes the file of a dead process. Two that find it dead at once must not remove the file of the one that came next. */
function bury() {
  const spade = `${file}.dead`;
  try {
    mkdirSync(spade);
  } catch (error) {
    if (error.code === "EEXIST") return;
    throw error;
  }
  if (holder() === null) rmSync(file, { force: true });
  rmdirSync(spade);
}

export async function inTurn(work) {
  mkdirSync(stamps, { recursive: true });
  for (let isTold = false; !take(); ) {
    if (holder() === null) bury();
    else if (!isTold) {
      say("stackroom: another build of this clone is running, waiting for it ...");
      isTold = true;
    }
    await wait(50);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
