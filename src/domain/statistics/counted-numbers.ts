/**
 * How often each of some whole numbers was counted, as ranges: three numbers for each, namely its first and last one and their count.
 * The tests of a suite have numbers side by side and run equally often, so a few ranges say how often thousands of them ran.
 * A change is written in the same way, with a negative count for numbers that are counted less often.
 */
export type CountedNumbers = readonly number[];

/** The sum of both. A number whose count falls to zero is counted no more. */
export function withCounts(counted: CountedNumbers, change: CountedNumbers): CountedNumbers {
  if (counted.length === 0 || change.length === 0) return counted.length === 0 ? change : counted;
  let [one, next] = [0, 0];
  // The ranges before and behind the change stay as they are: a run changes a few of those of a whole project.
  while (one < counted.length && counted[one + 1]! < change[0]!) one += 3;
  const ranges = counted.slice(0, one);
  for (let other = 0; other < change.length;) {
    const [first, last] = [firstAt(counted, one, next), lastAt(counted, one)];
    const [firstOther, lastOther] = [firstAt(change, other, next), lastAt(change, other)];
    const from = Math.min(first, firstOther);
    const to = Math.min(first === from ? last : first - 1, firstOther === from ? lastOther : firstOther - 1);
    const count = (first === from ? counted[one + 2]! : 0) + (firstOther === from ? change[other + 2]! : 0);
    addRange(ranges, from, to, count);
    next = to + 1;
    if (last === to) one += 3;
    if (lastOther === to) other += 3;
  }
  if (one === counted.length) return ranges;
  addRange(ranges, firstAt(counted, one, next), lastAt(counted, one), counted[one + 2]!);
  return ranges.concat(counted.slice(one + 3));
}

/** Of what is left of a range from a number on; behind the last range, of one that no other reaches. */
function firstAt(counted: CountedNumbers, at: number, next: number): number {
  return at < counted.length ? Math.max(counted[at]!, next) : Infinity;
}

function lastAt(counted: CountedNumbers, at: number): number {
  return at < counted.length ? counted[at + 1]! : Infinity;
}

/** Behind all others. */
export function addRange(ranges: number[], from: number, to: number, count: number): void {
  const end = ranges.length;
  if (count === 0) return;
  if (end > 0 && ranges[end - 2] === from - 1 && ranges[end - 1] === count) ranges[end - 2] = to;
  else ranges.push(from, to, count);
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
