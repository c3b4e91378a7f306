/**
 * What is counted of each test of a bucket on one day, packed: 4 characters for a test that ran once and passed. A query reads
 * a million of them while a client waits.
 *
 * A cell is the place of the test in its bucket, in Z85, and either `0` and a class of durations in two digits, for one run that is
 * counted with it and nothing else; or `1` and numbers: runs, failures, flaky runs, lost milliseconds, how many classes follow, and
 * for each the class and its count.
 */
import { shortNumber, shortNumberAt, shortNumberEnd } from '../comparison/short-number.js';
import { digit, digitAt } from '../test-history/z85.js';

export type TestCount = {
  /** The runs in which it ran; those in which it failed, and in which an attempt failed and a later one passed. */
  runs: number;
  failures: number;
  flaky_runs: number;
  lost_ms: number;
};

/** `durations`: classes of durations, and how many more or fewer there are of each: pairs, one after the other. */
export type CellChange = TestCount & { slot: number; durations: number[] };

const [ONE_RUN, NUMBERS] = ['0', '1'];

/** The cells after changes, which are in the order of their slots, one for each slot. `first`: the slot that stands for 0. */
export function withCells(cells: string, changes: readonly CellChange[], first = 0): string {
  let [text, copied] = ['', 0];
  const reader = openCells(cells);
  let there = reader.next();
  for (const change of changes) {
    const slot = change.slot - first;
    while (there && reader.slot < slot) there = reader.next();
    const isSame = there && reader.slot === slot;
    const from = there ? reader.start : cells.length;
    text += cells.slice(copied, from);
    copied = isSame ? reader.end : from;
    text += packed(slot, isSame ? sumOf(reader, change) : change);
    if (isSame) there = reader.next();
  }
  return text + cells.slice(copied);
}

/** Reads cells one after the other, without an object for each. */
export type CellReader = TestCount & {
  slot: number;
  /** Pairs of a class of durations and its count, in the order of classes. */
  durations: number[];
  start: number;
  end: number;
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
    start: 0,
    end: 0,
    next() {
      if (at >= cells.length) return false;
      reader.start = at;
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
      reader.end = at;
      return true;
    },
  };
  return reader;
}

function sumOf(cell: CellReader, change: CellChange): Omit<CellChange, 'slot'> {
  return {
    runs: cell.runs + change.runs,
    failures: cell.failures + change.failures,
    flaky_runs: cell.flaky_runs + change.flaky_runs,
    lost_ms: cell.lost_ms + change.lost_ms,
    durations: merged(cell.durations, change.durations),
  };
}

/** Empty for a cell that counts nothing. */
function packed(slot: number, change: Omit<CellChange, 'slot'>): string {
  const { runs, failures, flaky_runs, lost_ms } = change;
  const durations = change.durations.length > 2 ? merged([], change.durations) : change.durations;
  const isPlain = failures === 0 && flaky_runs === 0 && lost_ms === 0;
  if (isPlain && runs === 0 && durations.length === 0) return '';
  if (isPlain && runs === 1 && durations.length === 2 && durations[1] === 1)
    return digit(slot) + ONE_RUN + digit(durations[0]! / 85) + digit(durations[0]!);
  let text = digit(slot) + NUMBERS + shortNumber(runs) + shortNumber(failures);
  text += shortNumber(flaky_runs) + shortNumber(lost_ms) + shortNumber(durations.length / 2);
  for (const each of durations) text += shortNumber(each);
  return text;
}

/** Pairs of each class once, in rising order, without those of which there are none. `sorted`: such pairs. */
function merged(sorted: readonly number[], more: readonly number[]): number[] {
  const pairs = [...sorted];
  for (let next = 0; next < more.length; next += 2) {
    const [durationClass, count] = [more[next]!, more[next + 1]!];
    let at = 0;
    while (at < pairs.length && pairs[at]! < durationClass) at += 2;
    if (pairs[at] !== durationClass) pairs.splice(at, 0, durationClass, count);
    else if (pairs[at + 1]! + count === 0) pairs.splice(at, 2);
    else pairs[at + 1]! += count;
  }
  return pairs;
}
