/**
 * What is counted of each test of a bucket on one day, packed: 4 characters for a test that ran once and passed. A query reads
 * a million of them while a client waits.
 *
 * A cell is the place of the test in its bucket, in Z85, and either `0` and a class of durations in two digits, for one run that is
 * counted with it and nothing else; or `1` and numbers: runs, failures, flaky runs, lost milliseconds, how many classes follow, and
 * for each the class and its count.
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

const [ONE_RUN, NUMBERS] = ['0', '1'];
const oneRun = Array.from(
  { length: DURATION_CLASSES },
  (_, each) => ONE_RUN + digit(each / 85) + digit(each),
);

/** Beyond this and as much again as there are sums, cells are added up: what a query reads stays near the least. */
const UNSUMMED = 4_096;

export function withCells({ cells, summed }: Cells, change: CellChanges): Cells {
  const { plain, sign, changes, first } = change;
  if (sign < 0 || changes.some(({ runs, lost_ms }) => runs < 0 || lost_ms < 0)) return sumOf(cells, change);
  let added = '';
  for (let n = 0; n < plain.length; n += 1)
    added += digit(ordinalOf(plain[n]!) - first) + oneRun[classOf(plain[n]!)]!;
  for (const each of changes) added += packed(each.slot - first, { ...each, durations: inPairs(each) });
  if (cells === '') return { cells: added, summed: 0 };
  const isLong = cells.length + added.length > 2 * summed + UNSUMMED;
  return isLong ? sumOf(cells, change) : { cells: cells + added, summed };
}

/** Reads cells one after the other, without an object for each. */
export type CellReader = TestCount & {
  slot: number;
  /** Pairs of a class of durations and its count. */
  durations: number[];
  /** Goes to the next cell; false behind the last one. */
  next(): boolean;
};

export function openCells(cells: string): CellReader {
  let at = 0;
  const number = (): number => {
    const value = shortNumberAt(cells, at);
    at = shortNumberEnd(cells, at);
    return value;
  };
  const reader: CellReader = {
    slot: 0,
    runs: 0,
    failures: 0,
    flaky_runs: 0,
    lost_ms: 0,
    durations: [],
    next() {
      if (at >= cells.length) return false;
      reader.slot = digitAt(cells, at);
      const isOneRun = cells[at + 1] === ONE_RUN;
      at += 2;
      reader.durations.length = 0;
      if (isOneRun) {
        reader.runs = 1;
        reader.failures = reader.flaky_runs = reader.lost_ms = 0;
        reader.durations.push(digitAt(cells, at) * 85 + digitAt(cells, at + 1), 1);
        at += 2;
      } else {
        reader.runs = number();
        reader.failures = number();
        reader.flaky_runs = number();
        reader.lost_ms = number();
        for (let left = number(); left > 0; left -= 1) reader.durations.push(number(), number());
      }
      return true;
    },
  };
  return reader;
}

type Sum = TestCount & { durations: Map<number, number> };

/** All of them added up, in the order of slots. A test of which nothing is counted has no cell. */
function sumOf(cells: string, { plain, sign, changes, first }: CellChanges): Cells {
  const sums: Sum[] = [];
  const sumAt = (slot: number): Sum =>
    (sums[slot] ??= { runs: 0, failures: 0, flaky_runs: 0, lost_ms: 0, durations: new Map() });
  const add = (slot: number, { runs, failures, flaky_runs, lost_ms, durations }: TestChange): void => {
    const sum = sumAt(slot);
    sum.runs += runs;
    sum.failures += failures;
    sum.flaky_runs += flaky_runs;
    sum.lost_ms += lost_ms;
    for (let at = 0; at < durations.length; at += 2) addTo(sum.durations, durations[at]!, durations[at + 1]!);
  };
  for (const cell = openCells(cells); cell.next();) add(cell.slot, cell);
  for (let n = 0; n < plain.length; n += 1) {
    const sum = sumAt(ordinalOf(plain[n]!) - first);
    sum.runs += sign;
    addTo(sum.durations, classOf(plain[n]!), sign);
  }
  for (const each of changes) add(each.slot - first, each);
  let text = '';
  sums.forEach((sum, slot) => (text += packed(slot, { ...sum, durations: pairsOf(sum.durations) })));
  return { cells: text, summed: text.length };
}

type TestChange = Omit<CellChange, 'slot'>;

function addTo(durations: Map<number, number>, durationClass: number, count: number): void {
  durations.set(durationClass, (durations.get(durationClass) ?? 0) + count);
}

function inPairs({ durations }: TestChange): number[] {
  if (durations.length <= 2) return durations;
  const counts = new Map<number, number>();
  for (let at = 0; at < durations.length; at += 2) addTo(counts, durations[at]!, durations[at + 1]!);
  return pairsOf(counts);
}

/** In the order of classes. */
function pairsOf(durations: ReadonlyMap<number, number>): number[] {
  const counted = [...durations].filter(([, count]) => count !== 0);
  return counted.sort(([one], [other]) => one - other).flat();
}

/** Empty for a cell that counts nothing. */
function packed(slot: number, { runs, failures, flaky_runs, lost_ms, durations }: TestChange): string {
  const isPlain = failures === 0 && flaky_runs === 0 && lost_ms === 0;
  if (isPlain && runs === 0 && durations.length === 0) return '';
  if (isPlain && runs === 1 && durations.length === 2 && durations[1] === 1)
    return digit(slot) + oneRun[durations[0]!]!;
  let text = digit(slot) + NUMBERS + shortNumber(runs) + shortNumber(failures);
  text += shortNumber(flaky_runs) + shortNumber(lost_ms) + shortNumber(durations.length / 2);
  for (const each of durations) text += shortNumber(each);
  return text;
}
