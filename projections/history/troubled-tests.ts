/** Which tests need somebody: those with a line that is flaky or broken, or whose newest result failed. */
import type { StatusWord } from '../../src/domain/results/result.js';
import {
  newestOutcome,
  outcomesInWindow,
  type TestHistory,
} from '../../src/domain/test-history/test-history.js';

/** In the document of the test. All are null for a test that needs nobody. */
export type Trouble = {
  /** The project that lists the test among those in trouble. */
  troubled_in: string | null;
  /** The worst of its lines. */
  state: TestHistory['state'] | null;
  /** `failed` if it failed last in one of its lines. */
  newest: StatusWord | null;
  /** The number of failures in the windows of its histories. */
  impact: number | null;
};

/** Of one line. */
export type LineTrouble = { state: TestHistory['state']; newest: StatusWord; impact: number };

export const noTrouble: Trouble = { troubled_in: null, state: null, newest: null, impact: null };

/** Null for a line that needs nobody. */
export function troubleOf(history: TestHistory): LineTrouble | null {
  const newest = newestOutcome(history);
  const { state } = history;
  if (newest === undefined || (state === 'stable' && newest !== 'failed')) return null;
  const impact = outcomesInWindow(history).filter((outcome) => outcome === 'failed').length;
  return { state, newest, impact };
}

/** Of a test with these lines in trouble. `listed_in`: null for a test without a final result. */
export function inTrouble(listed_in: string | null, lines: readonly LineTrouble[]): Trouble {
  const [first] = lines;
  if (listed_in === null || first === undefined) return noTrouble;
  return {
    troubled_in: listed_in,
    state: worst(lines.map(({ state }) => state)),
    newest: lines.some(({ newest }) => newest === 'failed') ? 'failed' : first.newest,
    impact: lines.reduce((sum, { impact }) => sum + impact, 0),
  };
}

function worst(states: readonly TestHistory['state'][]): TestHistory['state'] {
  if (states.includes('broken')) return 'broken';
  return states.includes('flaky') ? 'flaky' : 'stable';
}
