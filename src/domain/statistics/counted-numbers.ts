/**
 * How often each of some whole numbers was counted, as ranges: three numbers for each, namely its first and last one and their count.
 * The tests of a suite have numbers side by side and run equally often, so a few ranges say how often thousands of them ran.
 */
export type CountedNumbers = readonly number[];

/** In rising order, each number once. */
export type Change = { number: number; by: number };

/** The counts after changes. A number whose count falls to zero is counted no more. */
export function withCounts(counted: CountedNumbers, changes: readonly Change[]): CountedNumbers {
  if (changes.length === 0) return counted;
  const ranges: number[] = [];
  const add = (from: number, to: number, count: number): void => {
    if (from > to || count === 0) return;
    const end = ranges.length;
    if (end > 0 && ranges[end - 2] === from - 1 && ranges[end - 1] === count) ranges[end - 2] = to;
    else ranges.push(from, to, count);
  };
  let at = 0;
  /** The first number that is not in `ranges` yet. */
  let next = 0;
  const copyUntil = (before: number): void => {
    for (; at < counted.length; at += 3) {
      const [from, to, count] = [counted[at]!, counted[at + 1]!, counted[at + 2]!];
      if (from >= before) return;
      add(Math.max(from, next), Math.min(to, before - 1), count);
      if (to >= before) return;
    }
  };
  for (const { number, by } of changes) {
    copyUntil(number);
    while (at < counted.length && counted[at + 1]! < number) at += 3;
    const inRange = at < counted.length && counted[at]! <= number;
    add(number, number, (inRange ? counted[at + 2]! : 0) + by);
    next = number + 1;
  }
  copyUntil(Infinity);
  return ranges;
}

export function countOf(counted: CountedNumbers, number: number): number {
  let [low, high] = [0, counted.length / 3 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (number < counted[3 * middle]!) high = middle - 1;
    else if (number > counted[3 * middle + 1]!) low = middle + 1;
    else return counted[3 * middle + 2]!;
  }
  return 0;
}

/** Of several ones, how many numbers are counted at all. */
export function distinctIn(all: Iterable<CountedNumbers>): number {
  const marks: [number, number][] = [];
  for (const counted of all)
    for (let at = 0; at < counted.length; at += 3) marks.push([counted[at]!, counted[at + 1]!]);
  marks.sort(([one], [other]) => one - other);
  let [distinct, next] = [0, 0];
  for (const [from, to] of marks) {
    if (to < next) continue;
    distinct += to - Math.max(from, next) + 1;
    next = to + 1;
  }
  return distinct;
}
