/**
 * What is counted of each test of a bucket on one day, packed: 2 characters for a test that ran once and passed, beside others. A
 * query reads a million of them while a client waits.
 *
 * A cell is the place of the test in its bucket, in Z85, and either `0` and a class of durations in two digits, for one run that is
 * counted with it and nothing else; or `1` and numbers: runs, failures, flaky runs, lost milliseconds, how many classes follow, and
 * for each how far it is from the one before, and its count. `2`, a number and as many classes are a cell `0` for each of that many
 * neighbours, from the place on.
 *
 * A run adds its cells behind those that are there, and the cells of a test add up. So a run costs what it adds itself.
 */
import { shortNumber, shortNumberAt, shortNumberEnd } from '../comparison/short-number.js';
import { digit, digitAt } from '../test-history/z85.js';
import { DURATION_CLASSES } from './durations.js';
import { classOf, ordinalOf, type PlainTests } from './tests-of-run.js';

export type TestCount = {
  /** The runs in which it ran; those in which it failed, and in which an attempt failed and a later one passed. */
  runs: number;
  failures: number;
  flaky_runs: number;
  lost_ms: number;
};

/** `durations`: classes of durations, and how many more or fewer there are of each: pairs, one after the other. */
export type CellChange = TestCount & { slot: number; durations: number[] };

/** `summed`: up to there, each test has one cell. */
export type Cells = { cells: string; summed: number };

export const noCells: Cells = { cells: '', summed: 0 };

/** `plain`: tests that ran once (`sign` 1), or did not (-1). `first`: the slot, here an ordinal, that stands for 0. */
export type CellChanges = {
  plain: PlainTests;
  sign: 1 | -1;
  changes: readonly CellChange[];
  first: number;
};

/** How many tests a bucket has. */
export const SLOTS = 64;

const [ONE_RUN, NUMBERS, NEIGHBOURS] = ['0', '1', '2'];
const [NUMBERS_CODE, NEIGHBOURS_CODE] = [NUMBERS.charCodeAt(0), NEIGHBOURS.charCodeAt(0)];
const classDigits = Array.from({ length: DURATION_CLASSES }, (_, each) => digit(each / 85) + digit(each));

/** Beyond this and as much again as there are sums, cells are added up: what a query reads stays near the least. */
const UNSUMMED = 4_096;

export function withCells({ cells, summed }: Cells, change: CellChanges): Cells {
  const { plain, sign, changes, first } = change;
  if (sign < 0 || changes.some(({ runs, lost_ms }) => runs < 0 || lost_ms < 0)) return sumOf(cells, change);
  let added = plainCells(plain, first);
  for (const each of changes) added += packed(each.slot - first, { ...each, durations: inPairs(each) });
  if (cells === '') return { cells: added, summed: 0 };
  const isLong = cells.length + added.length > 2 * summed + UNSUMMED;
  return isLong ? sumOf(cells, change) : { cells: cells + added, summed };
}

/** Of all these cells together, as few as there can be. */
export function addedUp(cells: string): Cells {
  return sumOf(cells, { plain: [], sign: 1, changes: [], first: 0 });
}

function plainCells(plain: PlainTests, first: number): string {
  let cells = '';
  for (let from = 0, to = 0; from < plain.length; from = to) {
    const ordinal = ordinalOf(plain[from]!);
    let classes = '';
    for (; to < plain.length && ordinalOf(plain[to]!) === ordinal + to - from; to += 1)
      classes += classDigits[classOf(plain[to]!)]!;
    const count = to - from;
    cells += digit(ordinal - first) + (count === 1 ? ONE_RUN : NEIGHBOURS + digit(count)) + classes;
  }
  return cells;
}

/**
 * Sums of the tests of a bucket: four numbers for each slot in the order of `TestCount`, and counts by slot and class. All classes
 * from `classes` on count nothing: most of them are of days and years.
 */
export type CellSums = { counts: Float64Array; durations: Int32Array; classes: number };

export function openSums(): CellSums {
  const durations = new Int32Array(SLOTS * DURATION_CLASSES);
  return { counts: new Float64Array(4 * SLOTS), durations, classes: 0 };
}

/** To use them again: they are too large to be made for each bucket. */
export function clearSums(sums: CellSums): void {
  sums.counts.fill(0);
  sums.durations.fill(0);
  sums.classes = 0;
}

function addDurations(sums: CellSums, slot: number, durationClass: number, count: number): void {
  sums.durations[slot * DURATION_CLASSES + durationClass]! += count;
  if (durationClass >= sums.classes) sums.classes = durationClass + 1;
}

/** No object for a cell: a query reads a million of them. */
export function addCells(sums: CellSums, cells: string): void {
  const { counts } = sums;
  for (let at = 0; at < cells.length;) {
    const slot = digitAt(cells, at);
    const kind = cells.charCodeAt(at + 1);
    at += 2;
    if (kind !== NUMBERS_CODE) {
      const end = slot + (kind === NEIGHBOURS_CODE ? digitAt(cells, at++) : 1);
      for (let each = slot; each < end; each += 1, at += 2) {
        counts[4 * each]! += 1;
        addDurations(sums, each, digitAt(cells, at) * 85 + digitAt(cells, at + 1), 1);
      }
      continue;
    }
    for (let n = 0; n < 4; n += 1, at = shortNumberEnd(cells, at))
      counts[4 * slot + n]! += shortNumberAt(cells, at);
    let [classes, durationClass] = [shortNumberAt(cells, at), 0];
    for (at = shortNumberEnd(cells, at); classes > 0; classes -= 1) {
      durationClass += shortNumberAt(cells, at);
      at = shortNumberEnd(cells, at);
      addDurations(sums, slot, durationClass, shortNumberAt(cells, at));
      at = shortNumberEnd(cells, at);
    }
  }
}

/** `durations`: counts by class, without the classes that count nothing for any test. */
export type TestSum = TestCount & { slot: number; durations: Int32Array };

/** Of the tests of which anything is counted. The durations are those of the sums themselves. */
export function testSums({ counts, durations, classes }: CellSums): TestSum[] {
  const sums: TestSum[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const [runs, failures, flaky_runs, lost_ms] = counts.subarray(4 * slot, 4 * slot + 4) as unknown as Four;
    if (runs === 0 && failures === 0 && flaky_runs === 0 && lost_ms === 0) continue;
    const first = slot * DURATION_CLASSES;
    const own = durations.subarray(first, first + classes);
    sums.push({ slot, runs, failures, flaky_runs, lost_ms, durations: own });
  }
  return sums;
}

type Four = [number, number, number, number];

/** For one sum after the other: it is large. */
const scratch = openSums();

/** All of them added up, in the order of slots. A test of which nothing is counted has no cell. */
function sumOf(cells: string, { plain, sign, changes, first }: CellChanges): Cells {
  const { counts } = scratch;
  clearSums(scratch);
  addCells(scratch, cells);
  for (let n = 0; n < plain.length; n += 1) {
    const slot = ordinalOf(plain[n]!) - first;
    counts[4 * slot]! += sign;
    addDurations(scratch, slot, classOf(plain[n]!), sign);
  }
  for (const each of changes) {
    const slot = each.slot - first;
    const numbers = [each.runs, each.failures, each.flaky_runs, each.lost_ms];
    numbers.forEach((number, n) => (counts[4 * slot + n]! += number));
    for (let at = 0; at < each.durations.length; at += 2)
      addDurations(scratch, slot, each.durations[at]!, each.durations[at + 1]!);
  }
  let text = '';
  for (const { slot, ...sum } of testSums(scratch)) {
    const pairs: number[] = [];
    sum.durations.forEach((count, each) => count !== 0 && pairs.push(each, count));
    text += packed(slot, { ...sum, durations: pairs });
  }
  return { cells: text, summed: text.length };
}

/** Each class once, in rising order. */
function inPairs({ durations }: CellChange): number[] {
  if (durations.length <= 2) return durations;
  const counts = new Map<number, number>();
  for (let at = 0; at < durations.length; at += 2)
    counts.set(durations[at]!, (counts.get(durations[at]!) ?? 0) + durations[at + 1]!);
  return [...counts].sort(([one], [other]) => one - other).flat();
}

/** Empty for a cell that counts nothing. */
function packed(
  slot: number,
  { runs, failures, flaky_runs, lost_ms, durations }: Omit<CellChange, 'slot'>,
): string {
  const isPlain = failures === 0 && flaky_runs === 0 && lost_ms === 0;
  if (isPlain && runs === 0 && durations.length === 0) return '';
  if (isPlain && runs === 1 && durations.length === 2 && durations[1] === 1)
    return digit(slot) + ONE_RUN + classDigits[durations[0]!]!;
  let text = digit(slot) + NUMBERS + shortNumber(runs) + shortNumber(failures);
  text += shortNumber(flaky_runs) + shortNumber(lost_ms) + shortNumber(durations.length / 2);
  for (let n = 0, before = 0; n < durations.length; before = durations[n]!, n += 2)
    text += shortNumber(durations[n]! - before) + shortNumber(durations[n + 1]!);
  return text;
}
