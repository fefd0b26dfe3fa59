/** Ports for the servers that tests start. */
import { createServer } from "node:net";

/** A port of this machine on which nobody listens yet. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
