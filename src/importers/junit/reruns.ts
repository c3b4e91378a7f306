/** Attempts that a tool writes as test cases of their own: docs/import.md, "Cases of one name". */
import { errorSaying, type Reported } from '../reported.js';
import type { Case, Suite } from './case.js';

/** What a tool is known to write for the attempts of a test. */
export type Records = {
  /** What tells tests apart. */
  key: string;
  /** Whether another attempt may follow; a case that none follows waits for no other. */
  isFollowed: boolean;
  /** At the end of a suite: whether it has such records at all. */
  hasAttempts: (suite: Suite) => boolean;
  why: string;
};

export type Reruns = {
  /** Takes the attempts of a case. Without `records`, it is a test of its own. */
  add: (attempts: readonly Reported[], records: Records | null, suite: Suite | undefined) => void;
  /** No other attempt follows. */
  flush: () => void;
};

type Waiting = {
  cases: { attempts: readonly Reported[]; isFollowed: boolean }[];
  records: Records;
  suite: Suite;
};

/** Waiting cases may have this many bytes together. */
const WAITING = 8 * 1_024 * 1_024;
const ELEMENTS = 'the report has elements such as rerunFailure and flakyFailure in a case';

/** `emit` gets all attempts of a test at once. Where too much waits, it gets the oldest before their next attempts. */
export function reruns(emit: (attempts: readonly Reported[], why: string) => void): Reruns {
  const waiting = new Map<string, Waiting>();
  let bytes = 0;

  function release(key: string): void {
    const { cases, records, suite } = waiting.get(key)!;
    waiting.delete(key);
    const joins = records.hasAttempts(suite);
    let joined: readonly Reported[] = [];
    for (const { attempts, isFollowed } of cases) {
      bytes -= bytesOf(attempts);
      joined = [...joined, ...attempts];
      if (joins && isFollowed && attempts !== cases.at(-1)!.attempts) joined = joined.map(asFailed);
      else {
        emit(joined, joined.length > attempts.length ? records.why : ELEMENTS);
        joined = [];
      }
    }
  }

  return {
    add(attempts, records, suite) {
      if (records === null || suite === undefined) return emit(attempts, ELEMENTS);
      const known = waiting.get(records.key);
      if (known === undefined && !records.isFollowed) return emit(attempts, ELEMENTS);
      const cases = [...(known?.cases ?? []), { attempts, isFollowed: records.isFollowed }];
      waiting.set(records.key, { cases, records, suite });
      bytes += bytesOf(attempts);
      for (const oldest of waiting.keys()) {
        if (bytes <= WAITING) break;
        release(oldest);
      }
    },
    flush() {
      for (const key of waiting.keys()) release(key);
    },
  };
}

/**
 * Null: cases of one name are different tests. pytest-rerunfailures writes an empty case for each attempt that was run again,
 * and its suite counts each test once; without the plugin it counts as many as it has. gotestsum writes each run of a test,
 * and first in a package those that failed.
 */
export function recordsOf(
  test: Case,
  attempts: readonly Reported[],
  suite: Suite | undefined,
): Records | null {
  const { classname = '', name = '' } = test.attributes;
  const key = `${classname}\0${name}`;
  const { status } = attempts.at(-1)!;
  if (suite?.tool === 'pytest')
    return {
      key,
      isFollowed: status === 'passed' && isEmpty(test),
      hasAttempts: ({ cases, tests }) => tests === null || cases > tests,
      why: 'pytest-rerunfailures writes each attempt that was run again as an empty case',
    };
  if (suite === undefined || suite.hasId || !isPackage(suite.name, classname)) return null;
  const [failure] = test.failures;
  const isFailedInGo = failure?.message === 'Failed' && failure.type === '';
  if (failure !== undefined && !isFailedInGo) return null;
  return {
    key,
    isFollowed: isFailedInGo,
    hasAttempts: () => true,
    why: 'gotestsum writes each run of a test as a case, those that failed first',
  };
}

function isEmpty({ output, properties }: Case): boolean {
  return output.stdout === null && output.stderr === null && properties.size === 0;
}

/** The class of a test in Go is its package; both can be set to its last part. */
function isPackage(suite: string, className: string): boolean {
  return suite === className || suite.endsWith(`/${className}`) || className.endsWith(`/${suite}`);
}

function asFailed(attempt: Reported): Reported {
  if (attempt.status === 'failed') return attempt;
  const message = 'The test was run again after this attempt, of which the report has no text.';
  return { ...attempt, status: 'failed', error: errorSaying(message) };
}

/** About the memory that results need while they wait. */
function bytesOf(attempts: readonly Reported[]): number {
  const texts = attempts.flatMap(({ name, error, output }) => [
    name,
    error?.message,
    error?.stack,
    output.stdout,
    output.stderr,
  ]);
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 1_000 * attempts.length);
}
