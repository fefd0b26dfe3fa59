// Drives a browser for another process, until that has nothing more to say: options as JSON, gives where to connect to.
import { firefox } from "@playwright/test";

const server = await firefox.launchServer(JSON.parse(process.argv[2]));
process.stdout.write(`${server.wsEndpoint()}\n`);
process.stdin.on("end", () => void server.close()).resume();
