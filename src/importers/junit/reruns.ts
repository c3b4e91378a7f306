/** Attempts that a tool writes as test cases of their own: docs/import.md, "Cases of one name". */
import type { Reported } from '../reported.js';
import type { Case, Suite } from './case.js';
import { textOf } from './case.js';

/** What a tool is known to write for the attempts of a test. */
export type Records = {
  /** Another attempt may follow a case with this status. */
  followed: Reported['status'];
  why: string;
};

export type Reruns = {
  /** Takes the attempts of a case. Without `records`, no other one follows. */
  add: (attempts: readonly Reported[], records: Records | null) => void;
  flush: () => void;
};

type Waiting = { attempts: readonly Reported[]; why: string };

/** Waiting cases may have this many bytes together. */
const WAITING = 8 * 1_024 * 1_024;
const ELEMENTS = 'the report has elements such as rerunFailure and flakyFailure in a case';

/** `emit` gets all attempts of a test at once. Where too much waits, it gets the oldest before their next attempts. */
export function reruns(emit: (attempts: readonly Reported[], why: string) => void): Reruns {
  const waiting = new Map<string, Waiting>();
  let bytes = 0;

  function take(name: string): Waiting | undefined {
    const found = waiting.get(name);
    waiting.delete(name);
    if (found !== undefined) bytes -= bytesOf(found.attempts);
    return found;
  }

  function release(name: string): void {
    const { attempts, why } = take(name)!;
    emit(attempts, why);
  }

  return {
    add(attempts, records) {
      const { name, status } = attempts.at(-1)!;
      const before = take(name);
      const all = [...(before?.attempts ?? []).map(asFailed), ...attempts];
      const why = before?.why ?? ELEMENTS;
      if (status !== records?.followed) return emit(all, why);
      waiting.set(name, { attempts: all, why: records.why });
      bytes += bytesOf(all);
      for (const oldest of waiting.keys()) {
        if (bytes <= WAITING) break;
        release(oldest);
      }
    },
    flush() {
      for (const name of waiting.keys()) release(name);
    },
  };
}

const pytest: Records = {
  followed: 'passed',
  why: 'pytest-rerunfailures writes each attempt that was run again as an empty case',
};
const gotestsum: Records = {
  followed: 'failed',
  why: 'gotestsum writes each run of a test as a case, those that failed first',
};

/** Null: cases of one name are different tests. In a run of pytest, names are unique. */
export function recordsOf({ attributes, failures }: Case, suite: Suite | undefined): Records | null {
  if (suite?.tool === 'pytest') return pytest;
  const [failure] = failures;
  const isGotestsum =
    failure?.message === 'Failed' &&
    failure.type === '' &&
    textOf(attributes.classname) === suite?.name &&
    !suite.hasId;
  return isGotestsum ? gotestsum : null;
}

function asFailed(attempt: Reported): Reported {
  if (attempt.status === 'failed') return attempt;
  const message = 'The test was run again after this attempt, of which the report has no text.';
  return { ...attempt, status: 'failed', error: { message, type: null, stack: null, hook: null } };
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
