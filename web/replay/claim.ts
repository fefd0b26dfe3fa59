/**
 * One origin for all is for one collection at a time: who shows another, in whatever tab, takes it, and who had it stops,
 * so that pages of two archives are never there together.
 */

export interface Claim {
  /** Resolves when it is ours. */
  readonly granted: Promise<void>;
  release(): void;
}

export function claim(origin: string, onLost: () => void): Claim {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const granted = new Promise<void>((resolve) => {
    navigator.locks
      .request(`stackroom replay ${origin}`, { steal: true }, () => {
        resolve();
        return held;
      })
      .catch(onLost);
  });
  return { granted, release };
}
