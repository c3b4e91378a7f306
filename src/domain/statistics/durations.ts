/**
 * Durations as they are counted: by class. The milliseconds of a class differ by 4 % at most, so its middle is within 2 % of each
 * of them. Counts of classes add and subtract exactly, as corrections of results need it.
 */

/** By the number of a class: its first millisecond. */
const firsts: number[] = [0];
const GROWTH = 1.04;
for (let first = 1; first <= Number.MAX_SAFE_INTEGER; first = Math.max(first + 1, Math.floor(first * GROWTH)))
  firsts.push(first);

export const DURATION_CLASSES = firsts.length;

/** How many durations there are of each class. */
export type DurationCounts = Readonly<Record<number, number>>;

export function durationClass(ms: number): number {
  let [low, high] = [0, firsts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (firsts[middle]! <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The duration that stands for all of a class, in whole milliseconds. */
export function durationOf(durationClass: number): number {
  const first = firsts[durationClass]!;
  return Math.round((first + (firsts[durationClass + 1] ?? first + 1) - 1) / 2);
}

export type Quantiles = { p50: number | null; p95: number | null };

export const noQuantiles: Quantiles = { p50: null, p95: null };

/** By the nearest rank. `counts`: by class. */
export function quantilesOf(counts: ArrayLike<number>): Quantiles {
  let total = 0;
  for (let each = 0; each < counts.length; each += 1) total += counts[each]!;
  if (total === 0) return noQuantiles;
  const at = (share: number): number => {
    let left = Math.ceil(share * total);
    for (let each = 0; each < counts.length; each += 1) {
      left -= counts[each]!;
      if (left <= 0) return durationOf(each);
    }
    return durationOf(counts.length - 1);
  };
  return { p50: at(0.5), p95: at(0.95) };
}
