import { hash } from 'node:crypto';
import { limits } from '../limits.js';
import { digestTable } from './digest-table.js';

/** One test case of a report: one attempt, or several that the report itself puts together. */
export type TestCase = { name: string; attempts: number; status: string; bytes: number };

/** A case with the number of its first attempt. Null: it is a result of its own. */
export type Placed<T> = { test: T; first: number | null };

export type Repeats<T> = {
  add: (test: T) => Placed<T>[];
  end: () => Placed<T>[];
  counts: () => RepeatCounts;
};

export type RepeatCounts = {
  /** Results that a later attempt followed. */
  retried: number;
  /** Cases with more repeats than there are attempts. */
  beyond: number;
  /** Tests whose last attempt failed. */
  failing: number;
};

/** Waiting cases may have this many bytes together. */
const WAITING = 8 * 1_024 * 1_024;

type Known<T> = {
  /** The number that the next attempt has. */
  next: number;
  failed: boolean;
  /** A failed case and a later one that passed: from then on, each case is an attempt. */
  joined: boolean;
  /** Whether the last attempt failed, of one that is joined. */
  lastFailed: boolean;
  waiting: T[];
};

/**
 * Cases of one name in one report. Where one failed and a later one passed, they are attempts of one test, in the order
 * of the report. Else each is a result of its own: it may be another test with the same name, and none is left out.
 *
 * A case that comes again waits until one of both is sure, at most to the end of the report. The first case of a name
 * never waits, because attempt 1 and no attempt are the same. Memory: some 30 bytes a name.
 */
export function repeats<T extends TestCase>(): Repeats<T> {
  // Most names come once: a number is what is known of those, the next attempt, negative after a failure.
  const once = digestTable();
  const again = new Map<string, Known<T>>();
  const waitingNames = new Set<Known<T>>();
  let waitingBytes = 0;
  let retried = 0;
  let beyond = 0;
  let failing = 0;

  function release(known: Known<T>): T[] {
    const released = known.waiting;
    known.waiting = [];
    waitingNames.delete(known);
    for (const test of released) waitingBytes -= test.bytes;
    return released;
  }

  function releaseAll(): Placed<T>[] {
    return [...waitingNames].flatMap((known) => release(known).map((test) => own(test)));
  }

  /** A result of its own. */
  function own(test: T): Placed<T> {
    if (test.status === 'failed') failing += 1;
    return placedAlone(test);
  }

  function numbered(known: Known<T>, test: T): Placed<T> {
    if (known.next + test.attempts - 1 > limits.attempts) {
      beyond += 1;
      return own(test);
    }
    const first = known.next;
    known.next += test.attempts;
    retried += 1;
    failing += Number(test.status === 'failed') - Number(known.lastFailed);
    known.lastFailed = test.status === 'failed';
    return { test, first };
  }

  return {
    add(test) {
      const key = keyOf(test.name);
      const failed = test.status === 'failed';
      retried += test.attempts - 1;
      const first = once.get(key);
      if (first === 0) {
        const next = Math.min(test.attempts, limits.attempts) + 1;
        once.set(key, failed ? -next : next);
        return [own(test)];
      }
      const known = again.get(key) ?? {
        next: Math.abs(first),
        failed: first < 0,
        joined: false,
        // The first one counts as a test of its own, until another one is its next attempt.
        lastFailed: first < 0,
        waiting: [],
      };
      again.set(key, known);
      if (known.joined || (known.failed && test.status === 'passed')) {
        known.joined = true;
        return [...release(known), test].map((each) => numbered(known, each));
      }
      known.failed ||= failed;
      known.waiting.push(test);
      waitingNames.add(known);
      waitingBytes += test.bytes;
      return waitingBytes > WAITING || known.waiting.length >= limits.attempts ? releaseAll() : [];
    },
    end: releaseAll,
    counts: () => ({ retried, beyond, failing }),
  };
}

/** For a report that puts the attempts of a test together itself: each case is a test of its own. */
export function noRepeats<T extends TestCase>(): Repeats<T> {
  let [retried, failing] = [0, 0];
  return {
    add(test) {
      retried += test.attempts - 1;
      if (test.status === 'failed') failing += 1;
      return [placedAlone(test)];
    },
    end: () => [],
    counts: () => ({ retried, beyond: 0, failing }),
  };
}

/** A case whose attempts the report put together has numbers from 1. */
function placedAlone<T extends TestCase>(test: T): Placed<T> {
  return { test, first: test.attempts > 1 ? 1 : null };
}

/** A digest instead of the name: a part of a larger text would keep all of that text in memory. */
function keyOf(name: string): string {
  return hash('sha1', name, 'binary');
}
