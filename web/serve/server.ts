/**
 * The HTTP server of `npm start`: the viewer's files on loopback, routed by Host.
 * Knows nothing of archives; whoever starts it says which folder holds the built viewer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { realpath } from "node:fs/promises";
import { isIP } from "node:net";
import { findFile, sendFile } from "./files.js";
import { securityHeaders } from "./headers.js";
import { audienceOf } from "./hosts.js";
import { answerReplay } from "./replay.js";
import { listen, loopbackAddresses } from "./listen.js";

export const defaultPort = 8585;

export interface ServerOptions {
  /** Folder of the built viewer. */
  readonly root: string;
  /** A given port is taken or refused, 0 is any free one; by default 8585 or the next free one. */
  readonly port?: number;
  /** Address to listen on in place of both loopback ones. Requests may then name it as Host, too. */
  readonly host?: string;
}

export interface RunningServer {
  /** Address of the viewer, with a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Ends open connections and resolves when the port is free again. */
  close(): Promise<void>;
}

export async function startServer({ root, port, host }: ServerOptions): Promise<RunningServer> {
  const folder = await realpath(root);
  const name = host === undefined ? "localhost" : isIP(host) === 6 ? `[${host}]` : host;
  const handle = handler(folder, new Set([name.toLowerCase()]));
  const addresses = host === undefined ? loopbackAddresses : [host];
  const listened = await listen(() => createServer(handle), addresses, port ?? defaultPort, port !== undefined);
  return {
    url: `http://${name}:${listened.port}/`,
    port: listened.port,
    close: async () => void (await Promise.all(listened.servers.map(shut))),
  };
}

const shut = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function handler(root: string, ownNames: ReadonlySet<string>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    for (const [name, value] of Object.entries(securityHeaders(request.socket.localPort ?? 0, request.headers.host))) response.setHeader(name, value);
    answer(root, ownNames, request, response).catch(() => {
      // The client left, or the file failed half-way: only cutting the connection says so once bytes have gone out.
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "The server failed to read this file.");
    });
  };
}

async function answer(root: string, ownNames: ReadonlySet<string>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const audience = audienceOf(request.headers.host, ownNames);
  if (audience === "stranger") return refuse(response, 421, "This server answers to localhost only.");
  if (audience === "replay") return answerReplay(request, response);
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return refuse(response, 405, "Only GET and HEAD are answered here.");
  }
  const urlPath = (request.url ?? "/").replace(/[?#].*$/s, "");
  const file = await findFile(root, urlPath);
  if (file === null) return refuse(response, 404, "There is no such file.");
  await sendFile(file, urlPath, request, response);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}
