/** Random numbers from a seed: the same seed gives the same choices. */

export type Random = {
  /** An integer from 0 to `n` - 1. */
  below(n: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T | undefined;
};

/** The seed in `TEST_SEED`, which repeats a failure; else a new one. */
export function newSeed(): number {
  return Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
}

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, chance: (probability) => next() < probability, pick: (list) => list[below(list.length)] };
}
