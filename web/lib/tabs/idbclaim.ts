/**
 * The owner's claim on a collection in IndexedDB: an epoch in the same database as the pages. Every transaction that
 * writes fails where another owner has followed: one that wakes in the middle of a commit is fenced by the database.
 */

import { openStoreDatabase, idbStorage, raiseEpoch } from "../store/idb.js";
import type { PageStorage } from "../store/storage.js";
import { checkLock, type Claim, type ClaimRequest } from "./claim.js";

export class DatabaseClaim implements Claim {
  readonly epoch: number;
  readonly reason: string;
  readonly kind = "indexeddb";
  readonly generation = 1;
  readonly #request: ClaimRequest;
  readonly #database: IDBDatabase;
  #isClosed = false;

  private constructor(request: ClaimRequest, epoch: number, database: IDBDatabase) {
    this.#request = request;
    this.reason = request.reason;
    this.epoch = epoch;
    this.#database = database;
  }

  static async take(request: ClaimRequest): Promise<DatabaseClaim> {
    const database = await openStoreDatabase(`stackroom/${request.name}`);
    try {
      // Whoever lost the lock meanwhile must not fence its follower.
      await checkLock(request, false);
      return new DatabaseClaim(request, await raiseEpoch(database, request.epochFloor), database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async check(): Promise<void> {
    await checkLock(this.#request, this.#isClosed);
  }

  /** The transaction that writes is the check. */
  commit<T>(write: () => Promise<T>): Promise<T> {
    return write();
  }

  async storage(): Promise<PageStorage> {
    return idbStorage(this.#database, this.epoch);
  }

  close(): void {
    this.#isClosed = true;
    this.#database.close();
  }
}
