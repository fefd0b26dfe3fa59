/**
 * Readers of web archives that are compared with ours: warcio and FastWARC in a Python environment, jwarc as a Java
 * archive. They are installed on demand into an ignored folder, by the clients of their registries, and never shipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../target/peers/", import.meta.url));
const PACKAGES = ["warcio==1.8.1", "fastwarc==2.0.1", "zstandard==0.25.0"];
export const JWARC = "0.31.1";

const works = (program, args, options = {}) => spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options }).status === 0;
const say = (text) => process.stderr.write(`peers: ${text}\n`);

/** The interpreter that has packages, warcio and FastWARC if none are named, or why there is none. */
export function python(name = "python", packages = PACKAGES) {
  const folder = join(FOLDER, name);
  const interpreter = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const done = join(folder, `done-${packages.join("-").replaceAll("==", "_")}`);
  if (existsSync(done)) return { interpreter };
  const base = ["python3", "python"].find((name) => works(name, ["-c", "import venv, sys; sys.exit(sys.version_info < (3, 9))"], { stdio: "ignore" }));
  if (base === undefined) return { missing: "there is no Python 3.9 or later with venv" };
  say(`installing ${packages.join(", ")}`);
  mkdirSync(FOLDER, { recursive: true });
  if (!works(base, ["-m", "venv", "--clear", folder])) return { missing: "a Python environment could not be made" };
  if (!works(interpreter, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages])) return { missing: "the Python packages could not be installed" };
  writeFileSync(done, "");
  return { interpreter };
}

/** The Java archive of jwarc, or why there is none. */
export function jwarc() {
  if (!works("java", ["-version"], { stdio: "ignore" })) return { missing: "there is no Java" };
  const jar = join(FOLDER, `jwarc-${JWARC}.jar`);
  if (existsSync(jar)) return { jar };
  if (!works("mvn", ["--version"], { stdio: "ignore" })) return { missing: "there is no Maven to fetch jwarc with" };
  say(`fetching jwarc ${JWARC}`);
  const aside = join(FOLDER, "jwarc.part");
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  const copy = ["org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy", `-Dartifact=org.netpreserve:jwarc:${JWARC}`, `-DoutputDirectory=${aside}`];
  const isThere = works("mvn", ["-q", "-B", ...copy], { cwd: aside }) && existsSync(join(aside, `jwarc-${JWARC}.jar`));
  if (isThere) renameSync(join(aside, `jwarc-${JWARC}.jar`), jar);
  rmSync(aside, { recursive: true, force: true });
  return isThere ? { jar } : { missing: "jwarc could not be fetched" };
}
