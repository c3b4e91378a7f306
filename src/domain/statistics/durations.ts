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
export function quantilesOf(counts: Int32Array): Quantiles {
  let total = 0;
  for (let each = 0; each < counts.length; each += 1) total += counts[each]!;
  if (total === 0) return noQuantiles;
  const [half, most] = [Math.ceil(total * 0.5), Math.ceil(total * 0.95)];
  let [each, reached] = [0, counts[0]!];
  while (reached < half) reached += counts[(each += 1)]!;
  const p50 = durationOf(each);
  while (reached < most) reached += counts[(each += 1)]!;
  return { p50, p95: durationOf(each) };
}
