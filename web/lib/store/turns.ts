/**
 * Gives everything else its turn now and then. What is answered at once is waited for by microtasks alone, and these go
 * before all tasks, however many of them there are.
 */

/** How long work may leave nothing else its turn. */
export const TURN_MS = 100;

/** Lets everything else have its turn. */
export const giveWay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export class Turns {
  /** Since when nothing else had its turn, as far as this is known to have begun. */
  #since: number | undefined;

  /** Before each piece of work: to be waited for where there was work for long. */
  next(): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = performance.now();
      // This is called when other tasks have their turn.
      setTimeout(() => (this.#since = undefined), 0);
      return undefined;
    }
    return performance.now() - this.#since > TURN_MS ? giveWay() : undefined;
  }
}
