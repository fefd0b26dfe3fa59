/** Takes the claim on a collection, on the kind of storage that it is kept in: the first that works, where it is new. */

import { chooseStorage, type StorageKind } from "../store/ladder.js";
import { memoryStorage } from "../store/memory.js";
import { FileClaim } from "./fileclaim.js";
import { checkLock, type Claim, type ClaimRequest } from "./claim.js";
import { DatabaseClaim } from "./idbclaim.js";

/** `kinds`: those to try, in order; all of them where it is left out. */
export async function takeClaim(asked: Omit<ClaimRequest, "reason">, kinds?: readonly StorageKind[]): Promise<Claim> {
  const { kind, reason } = await chooseStorage(kinds, asked.name);
  const request = { ...asked, reason };
  if (kind === "opfs") return FileClaim.take(request);
  return kind === "indexeddb" ? DatabaseClaim.take(request) : memoryClaim(request);
}

/** Nobody else can reach it. It ends with its owner. */
async function memoryClaim(request: ClaimRequest): Promise<Claim> {
  let isClosed = false;
  const check = (): Promise<void> => checkLock(request, isClosed);
  await check();
  return {
    epoch: request.epochFloor + 1,
    kind: "memory",
    reason: request.reason,
    generation: 1,
    check,
    async commit(write) {
      const value = await write();
      await check();
      return value;
    },
    storage: async () => memoryStorage(),
    close: () => void (isClosed = true),
  };
}
