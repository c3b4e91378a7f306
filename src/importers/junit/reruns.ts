/** Attempts that a tool writes as test cases of their own: docs/import.md, "Cases of one name". */
import type { Reported } from '../reported.js';
import type { Case, Suite } from './case.js';
import { textOf } from './case.js';

export type Reruns = {
  /** Takes the attempts of a case. `waits`: a case with this status may be followed by another attempt. */
  add: (attempts: readonly Reported[], waits: Reported['status'] | null) => void;
  /** No other attempt follows. */
  flush: () => void;
};

/** Waiting cases may have this many bytes together. */
const WAITING = 8 * 1_024 * 1_024;

/** `emit` gets all attempts of a test at once. Where too much waits, it gets the oldest before their next attempts. */
export function reruns(emit: (attempts: readonly Reported[]) => void): Reruns {
  const waiting = new Map<string, readonly Reported[]>();
  let bytes = 0;

  function take(name: string): readonly Reported[] {
    const found = waiting.get(name) ?? [];
    waiting.delete(name);
    bytes -= bytesOf(found);
    return found;
  }

  return {
    add(attempts, waits) {
      const { name, status } = attempts.at(-1)!;
      const all = [...take(name).map(asFailed), ...attempts];
      if (status !== waits) return emit(all);
      waiting.set(name, all);
      bytes += bytesOf(all);
      for (const oldest of waiting.keys()) {
        if (bytes <= WAITING) break;
        emit(take(oldest));
      }
    },
    flush() {
      for (const name of waiting.keys()) emit(take(name));
    },
  };
}

/**
 * Which case another attempt of its test may follow. pytest-rerunfailures writes an empty case for each attempt that
 * failed and was run again; names are unique in a run of pytest. gotestsum writes each run of a test, and first in a
 * package those that failed. Null: cases of one name are different tests.
 */
export function waitsFor(
  { attributes, failures }: Case,
  suite: Suite | undefined,
): Reported['status'] | null {
  if (suite?.tool === 'pytest') return 'passed';
  const [failure] = failures;
  const isGotestsum =
    failure?.message === 'Failed' &&
    failure.type === '' &&
    textOf(attributes.classname) === suite?.name &&
    !suite.hasId;
  return isGotestsum ? 'failed' : null;
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
