// Servers that nobody may reach: HTTP with WebSocket, TLS of which the named host is read, and UDP for STUN and QUIC.
import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";

/** Browsers do not call by the loopback interface. */
const outside = Object.values(networkInterfaces()).flat().find((one) => one?.family === "IPv4" && !one.internal)?.address;

const listening = (server, ...where) => new Promise((resolve, reject) => server.once("error", reject).listen(...where, resolve));

const bound = (socket, port) => new Promise((resolve, reject) => socket.once("error", reject).bind(port, resolve));

/** Whom a ClientHello is for, without ".localhost": a name with its length before it. */
function serverName(hello) {
  const end = hello.indexOf(".localhost");
  for (let start = end - 1; start > 1; start -= 1) {
    if (hello.readUInt16BE(start - 2) === end + ".localhost".length - start) return hello.toString("latin1", start, end);
  }
  return "unknown";
}

export async function startCanaries() {
  const seen = { requests: new Set(), hosts: new Set(), connections: 0, datagrams: 0, quic: 0 };
  const http = createServer((request, response) => {
    seen.requests.add(request.url);
    const isScript = /script|import|worker|preload-s/.test(request.url);
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html", "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*", "Cache-Control": "no-store", Connection: "close" }).end("");
  });
  http.on("connection", () => (seen.connections += 1));
  http.on("upgrade", (request, socket) => {
    seen.requests.add(request.url);
    socket.destroy();
  });
  const tls = createTcpServer((socket) => {
    seen.connections += 1;
    socket.on("error", () => {});
    socket.once("data", (hello) => {
      seen.hosts.add(serverName(hello));
      socket.destroy();
    });
  });
  const stun = createSocket("udp4");
  stun.on("message", () => (seen.datagrams += 1));
  const quic = createSocket("udp6");
  quic.on("message", () => (seen.quic += 1));
  await Promise.all([listening(http, 0), listening(tls, 0), bound(stun, 0)]);
  await bound(quic, tls.address().port);
  return {
    seen,
    setup: { atOnce: 10, pauseMs: 120, port: http.address().port, tlsPort: tls.address().port, stun: `stun:${outside ?? "127.0.0.1"}:${stun.address().port}` },
    forget: () => {
      for (const set of [seen.requests, seen.hosts]) set.clear();
      Object.assign(seen, { connections: 0, datagrams: 0, quic: 0 });
    },
    close: () => Promise.all([http, tls, stun, quic].map((one) => new Promise((resolve) => {
      one.close(resolve);
      one.closeAllConnections?.();
    }))),
  };
}
