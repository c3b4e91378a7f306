/** Results that wait until it is known which ones are attempts of one test: their files have names in no order. */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { digestTable } from '../digest-table.js';
import { reported, type Reported, type ReportedError } from '../reported.js';
import { linesOf, openSpool } from '../spool.js';

/** What a result says of the attempts around it. */
export type Told = {
  /** No attempt of the same process comes before it. */
  isFirst: boolean;
  /** No attempt of the same process comes behind it. */
  isLast: boolean;
  /** Results of two processes are a run and its repetition. */
  process: string;
  /** Why it failed, where it is called skipped because it was tried again. */
  tried: ReportedError | null;
};

export type Attempt = Told & {
  /** What its test is known by; null for a test of its own. */
  test: string | null;
  result: Reported;
  start: number;
  stop: number;
  isFailed: boolean;
  /** By the word of the report. */
  isFlaky: boolean;
};

export type HeldAttempts = {
  /** @throws SpoolFault where the disk is full */
  add(attempt: Attempt): void;
  /** The attempts of each test, in their order; in groups of tests, by their first attempts that were added. */
  tests(): AsyncGenerator<Attempt[][]>;
  close(): void;
};

/** Memory: some 30 bytes for each test, and some 200 for each attempt behind its first one. */
export function heldAttempts(): HeldAttempts {
  const spool = openSpool();
  const seen = digestTable();
  /** The attempts behind the first one of each test; after that one was handed on, none. */
  const later = new Map<string, Place[]>();

  async function readAll(places: readonly Place[]): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    for (const { from, to } of places) attempts.push(attemptOf(linesOf(await spool.read(from, to))[0]!));
    return attempts;
  }

  return {
    add(attempt) {
      const from = spool.size();
      spool.add(lineOf(attempt));
      const { test } = attempt;
      if (test === null) return;
      const key = hash('sha1', test, 'binary');
      if (seen.get(key) === 0) return seen.set(key, 1);
      const place = { from, to: spool.size() };
      const places = later.get(test);
      if (places === undefined) later.set(test, [place]);
      else places.push(place);
    },
    async *tests() {
      let from = 0;
      for await (const lines of spool.lines(0, spool.size())) {
        let ready: Attempt[][] = [];
        for (const line of lines) {
          if (ready.length === GROUP) {
            yield ready;
            ready = [];
          }
          const at = from;
          from += Buffer.byteLength(line) + 1;
          const attempt = attemptOf(line);
          const places = attempt.test === null ? undefined : later.get(attempt.test);
          if (places === undefined) ready.push([attempt]);
          if (places === undefined || places.length === 0) continue;
          later.set(attempt.test!, []);
          // Another test with the same digest may have come before the first attempt: then it is one of the places.
          const others = await readAll(places.filter((place) => place.from !== at));
          ready.push([attempt, ...others].sort(inOrder));
        }
        yield ready;
      }
    },
    close: () => spool.close(),
  };
}

/** Tests that are handed on together. */
const GROUP = 200;

type Place = { from: number; to: number };

/** Values without their names, which are half of the time and of the room. No result of Allure has the other fields. */
function lineOf(attempt: Attempt): string {
  const { test, start, stop, isFailed, isFlaky, isFirst, isLast, process, tried, result } = attempt;
  const { name, status, durationMs, startedAt, error, reason, file, suite, owner, extra, attachments } =
    result;
  const about = [test, start, stop, isFailed, isFlaky, isFirst, isLast, process, tried];
  const read = [name, status, durationMs, startedAt, error, reason, file, suite, owner, extra, attachments];
  return JSON.stringify([about, read]);
}

type Line = [
  [string | null, number, number, boolean, boolean, boolean, boolean, string, Attempt['tried']],
  [
    string,
    Reported['status'],
    number | null,
    string | null,
    Reported['error'],
    string | null,
    string | null,
    string | null,
    string | null,
    Reported['extra'],
    Reported['attachments'],
  ],
];

function attemptOf(line: string): Attempt {
  const [about, read] = JSON.parse(line) as Line;
  const [test, start, stop, isFailed, isFlaky, isFirst, isLast, process, tried] = about;
  const [name, status, durationMs, startedAt, error, reason, file, suite, owner, extra, attachments] = read;
  const facts = { durationMs, startedAt, error, reason, file, suite, owner, extra, attachments };
  const result = { ...reported(name, status, null), ...facts };
  return { test, start, stop, isFailed, isFlaky, isFirst, isLast, process, tried, result };
}

/** Attempts may end in the millisecond in which they began. Of those, a failure was before a pass: no pass is tried again. */
function inOrder(one: Attempt, other: Attempt): number {
  return one.start - other.start || one.stop - other.stop || Number(other.isFailed) - Number(one.isFailed);
}
