/** Which tests need somebody: those that are flaky or broken, or whose newest result failed. */
import type { StatusWord } from '../../src/domain/result.js';
import {
  newestOutcome,
  outcomesInWindow,
  type TestHistory,
} from '../../src/domain/test-history/test-history.js';

/** In the document of the test. All are null for a test that needs nobody. */
export type Trouble = {
  /** The project that lists the test among those in trouble. */
  troubled_in: string | null;
  state: TestHistory['state'] | null;
  newest: StatusWord | null;
  /** The number of failures in the window of the history. */
  impact: number | null;
};

const none: Trouble = { troubled_in: null, state: null, newest: null, impact: null };

/** `listed_in`: null for a test without a final result. */
export function troubleOf(listed_in: string | null, history: TestHistory): Trouble {
  if (listed_in === null) return none;
  const newest = newestOutcome(history);
  const { state } = history;
  if (newest === undefined || (state === 'stable' && newest !== 'failed')) return none;
  const impact = outcomesInWindow(history).filter((outcome) => outcome === 'failed').length;
  return { troubled_in: listed_in, state, newest, impact };
}
