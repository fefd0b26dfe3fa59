/**
 * Tells a frozen owner from a busy one by the beats for which it says nothing, pinged at each.
 * Beats are counted, not time: whoever slept itself has heard nothing through no fault of the owner.
 */

import type { Pace } from "./words.js";

/** Beats further apart than this many times the pace mean that we slept. */
const ASLEEP = 3;

export class Watch {
  readonly #pace: Pace;
  #silentBeats = 0;
  #beatAt: number | undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  heard(): void {
    this.#silentBeats = 0;
  }

  /** One beat; true where the owner counts as frozen. Begins anew after that. */
  beat(now: number): boolean {
    const isAsleep = this.#beatAt === undefined || now - this.#beatAt > ASLEEP * this.#pace.beatMs;
    this.#beatAt = now;
    this.#silentBeats = isAsleep ? 0 : this.#silentBeats + 1;
    if (this.#silentBeats * this.#pace.beatMs < this.#pace.frozenMs) return false;
    this.#silentBeats = 0;
    return true;
  }

  /** No beats from here to the next. */
  rest(): void {
    this.#beatAt = undefined;
    this.#silentBeats = 0;
  }
}
