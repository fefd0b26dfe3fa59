/**
 * One port on both loopback addresses. Browsers resolve `localhost` to either, and another program on the same port
 * of the other address would otherwise answer half of the requests.
 */
import type { Server } from "node:http";

export const loopbackAddresses: readonly string[] = ["127.0.0.1", "::1"];

const attemptsMax = 100;

type Listened = { readonly port: number; readonly servers: readonly Server[] };

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") return reject(new Error("not a TCP address"));
      resolve(address.port);
    });
  });
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
/** A machine without IPv6 has no ::1, and needs none. */
const isAddressAbsent = (error: unknown): boolean => ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(String(codeOf(error)));
const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Listens on all the addresses at `port` (0: any), or at the next one that is free on all of them unless `isFixed`. */
export async function listen(make: () => Server, addresses: readonly string[], port: number, isFixed: boolean): Promise<Listened> {
  for (let attempt = 0, wanted = port; ; attempt += 1) {
    const servers: Server[] = [];
    let bound = wanted;
    try {
      for (const address of addresses) {
        const server = make();
        try {
          bound = await listenOn(server, address, bound);
          servers.push(server);
        } catch (error) {
          if (servers.length === 0 || !isAddressAbsent(error)) throw error;
        }
      }
      return { port: bound, servers };
    } catch (error) {
      await Promise.all(servers.map(closed));
      const isBusy = codeOf(error) === "EADDRINUSE";
      if (!isBusy || (isFixed && port !== 0) || attempt >= attemptsMax || wanted >= 65_535) throw error;
      wanted = port === 0 ? 0 : wanted + 1;
    }
  }
}
