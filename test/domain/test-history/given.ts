/**
 * Given these entries, when one more is added, then these transitions follow: the language of the tests of a history.
 */
import { expect } from 'chai';
import type { FinalStatus, TestEntry } from '../../../src/domain/test-history/test-entry.js';
import { noHistory, withEntry, without } from '../../../src/domain/test-history/test-history.js';
import type { TestHistory, Transition } from '../../../src/domain/test-history/test-history.js';
import { idOf } from '../ids.js';

export type Step = TestEntry | { deleted: string };

/** The first entry of the n-th result. It has no run, branch or commit unless `more` sets them. */
export function entry(n: number, status: FinalStatus, more: Partial<TestEntry> = {}): TestEntry {
  return {
    result_id: idOf('result', n),
    run_id: null,
    attempt: 1,
    branch: null,
    environment: '',
    commit: null,
    status,
    again: false,
    ...more,
  };
}

export const passed = (n: number, more?: Partial<TestEntry>) => entry(n, 'Passed', more);
export const failed = (n: number, more?: Partial<TestEntry>) => entry(n, 'Failed', more);
export const deleted = (n: number): Step => ({ deleted: idOf('result', n) });

/** `count` passes from the n-th result on. They are no evidence of flakiness. */
export const calm = (n: number, count: number) => Array.from({ length: count }, (_, k) => passed(n + k));

export function historyOf(...steps: readonly Step[]): TestHistory {
  return steps.reduce(after, noHistory);
}

export function after(history: TestHistory, step: Step): TestHistory {
  return 'deleted' in step ? without(history, step.deleted) : withEntry(history, step).history;
}

export function given(...steps: readonly Step[]) {
  return {
    when(next: TestEntry) {
      const { history, transitions } = withEntry(historyOf(...steps), next);
      return {
        follows: (...wanted: readonly [Transition, ...Transition[]]) =>
          expect(transitions).to.deep.equal(wanted),
        nothingFollows: () => expect(transitions).to.deep.equal([]),
        state: history.state,
      };
    },
  };
}

export const stabilised: Transition = { type: 'TestStabilised' };
export function becameFlaky(rule: 'same_commit' | 'later_attempt', ...evidence: number[]): Transition {
  return { type: 'TestBecameFlaky', rule, evidence: evidence.map((n) => idOf('result', n)) };
}
