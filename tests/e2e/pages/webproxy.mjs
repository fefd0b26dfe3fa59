/**
 * A web of one's own: a proxy that answers whatever URL a browser asks for, under its own name and by TLS too, so that
 * pages are at the addresses that they were made for.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTls } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate that no browser would trust: the one that is told not to look takes it for every host. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-certificate-"));
  try {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=stackroom", "-keyout", join(folder, "key"), "-out", join(folder, "cert")], { stdio: "pipe" });
    return { key: readFileSync(join(folder, "key")), cert: readFileSync(join(folder, "cert")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {(url: string, request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => Promise<unknown>} answer
 */
export async function startWeb(answer) {
  const handle = (scheme) => (request, response) => {
    const url = /^http/.test(request.url) ? request.url : `${scheme}://${request.headers.host}${request.url}`;
    answer(url, request, response).catch(() => response.destroy());
  };
  const secure = createTls(certificate(), handle("https"));
  const proxy = createServer(handle("http"));
  for (const server of [secure, proxy]) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  /** Connections that are tunnels are no server's to close. */
  const tunnels = new Set();
  proxy.on("connect", (request, socket) => {
    const own = connect(secure.address().port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      own.pipe(socket).pipe(own);
    });
    for (const end of [own, socket]) {
      tunnels.add(end);
      end.on("close", () => tunnels.delete(end));
      end.on("error", () => (own.destroy(), socket.destroy()));
    }
  });
  return {
    address: `http://127.0.0.1:${proxy.address().port}`,
    async close() {
      for (const end of tunnels) end.destroy();
      await Promise.all([secure, proxy].map((server) => new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      })));
    },
  };
}
