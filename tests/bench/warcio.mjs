// Child process: iterates over every record of an archive with npm warcio, HTTP headers parsed, and says what it cost.
// `node tests/bench/warcio.mjs FILE` prints {"records","wallSeconds","cpuSeconds"}.

import { createReadStream } from "node:fs";
import { WARCParser } from "warcio";

const start = performance.now();
let records = 0;
for await (const record of new WARCParser(createReadStream(process.argv[2], { highWaterMark: 1 << 20 }))) {
  if (record.warcType) records += 1;
}
const { user, system } = process.cpuUsage();
process.stdout.write(`${JSON.stringify({ records, wallSeconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 })}\n`);
