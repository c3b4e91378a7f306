import { expect } from 'chai';
import { itemId } from '../../../src/domain/ids.js';
import {
  failureRate,
  lastOutcomes,
  noHistory,
  withEntry,
  without,
} from '../../../src/domain/test-history/test-history.js';
import { idOf } from '../ids.js';
import { becameFlaky, calm, deleted, entry, failed, given, historyOf, passed, stabilised } from './given.js';

const c1 = { commit: 'c1' };
const run = { run_id: idOf('run', 1) };
const again = { again: true };

describe('the history of a test', () => {
  describe('flakiness', () => {
    it('is a pass and a failure at one commit, in either order, on any branches', () => {
      given(passed(1, c1))
        .when(failed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
      given(failed(1, { ...c1, branch: 'main' }))
        .when(passed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
    });

    it('is not a pass and a failure at two commits, or without a commit', () => {
      given(passed(1, c1))
        .when(failed(2, { commit: 'c2' }))
        .nothingFollows();
      given(passed(1)).when(failed(2)).nothingFollows();
    });

    it('is a failure, and a pass in a later attempt of the same run', () =>
      given(failed(1, run))
        .when(passed(2, { ...run, attempt: 2 }))
        .follows(becameFlaky('later_attempt', 1, 2)));

    it('is not a pass in the same or an earlier attempt, in another run, or without a run', () => {
      const third = failed(1, { ...run, attempt: 3 });
      given(third)
        .when(passed(2, { ...run, attempt: 3 }))
        .nothingFollows();
      given(third)
        .when(passed(2, { ...run, attempt: 2 }))
        .nothingFollows();
      given(third)
        .when(passed(2, { run_id: idOf('run', 2), attempt: 4 }))
        .nothingFollows();
      given(failed(1))
        .when(passed(2, { attempt: 2 }))
        .nothingFollows();
    });

    it('is not a failure in a later attempt', () =>
      given(passed(1, run))
        .when(failed(2, { ...run, attempt: 2 }))
        .nothingFollows());

    it('depends on the nearest earlier attempt only', () =>
      given(failed(1, { ...run }), passed(2, { ...run, attempt: 2, commit: 'c9' }))
        .when(passed(3, { ...run, attempt: 3 }))
        .nothingFollows());

    it('is found across the items of a bulk submission and later results of its run', () => {
      const run_id = idOf('run', 5);
      const item = { run_id, result_id: itemId(run_id, 3) };
      const flaky = (...evidence: string[]) =>
        ({ type: 'TestBecameFlaky', rule: 'later_attempt', evidence }) as const;
      given(failed(0, item))
        .when(passed(2, { run_id, attempt: 2 }))
        .follows(flaky(itemId(run_id, 3), idOf('result', 2)));
      given(failed(2, { run_id }))
        .when(passed(0, { ...item, attempt: 2 }))
        .follows(flaky(idOf('result', 2), itemId(run_id, 3)));
      given(failed(0, item))
        .when(passed(0, { ...item, result_id: itemId(run_id, 4), attempt: 2 }))
        .follows(flaky(itemId(run_id, 3), itemId(run_id, 4)));
    });

    it('is found across the calls of a run with a key, and later results of the run, and not in other runs', () => {
      const run_id = idOf('run', 5);
      const of = (submission: number, ordinal: number, run = run_id) => ({
        run_id: run,
        result_id: itemId(idOf('run', submission), ordinal),
      });
      const flaky = (...evidence: string[]) =>
        ({ type: 'TestBecameFlaky', rule: 'later_attempt', evidence }) as const;
      for (const [earlier, later] of [
        [of(6, 3), of(6, 4)],
        [of(6, 3), of(7, 3)],
        [of(6, 49_999), { run_id, result_id: idOf('result', 2) }],
        [{ run_id, result_id: idOf('result', 1) }, of(7, 0)],
      ] as const) {
        given(failed(0, earlier))
          .when(passed(0, { ...later, attempt: 2 }))
          .follows(flaky(earlier.result_id, later.result_id));
        given(failed(0, earlier)).when(passed(0, later)).nothingFollows();
      }
      given(failed(0, of(6, 3)))
        .when(passed(0, { ...of(6, 4, idOf('run', 8)), attempt: 2 }))
        .nothingFollows();
    });

    it('names the rule of the same commit if both rules hold', () =>
      given(failed(1, { ...run, ...c1 }))
        .when(passed(2, { ...run, ...c1, attempt: 2 }))
        .follows(becameFlaky('same_commit', 1, 2)));

    it('does not follow from skipped results, known failures or corrections, even later', () => {
      given(passed(1, c1))
        .when(entry(2, 'KnownFail', c1))
        .nothingFollows();
      given(entry(1, 'KnownFail', c1), entry(2, 'Skipped', c1))
        .when(passed(3, c1))
        .nothingFollows();
      given(passed(1, c1), passed(2, c1))
        .when(failed(2, { ...c1, ...again }))
        .nothingFollows();
      given(passed(2, c1), failed(2, { ...c1, ...again }))
        .when(passed(3, c1))
        .nothingFollows();
      given(failed(1, { ...run }), failed(1, { ...run, ...again }))
        .when(passed(2, { ...run, attempt: 2 }))
        .nothingFollows();
    });

    it('is found within the last 50 entries that passed or failed, with the new one', () => {
      const between = (count: number) => [...calm(10, count), entry(90, 'Skipped'), entry(91, 'KnownFail')];
      given(passed(1, c1), ...between(48))
        .when(failed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
      given(passed(1, c1), ...between(49))
        .when(failed(2, c1))
        .nothingFollows();
    });

    it('is reported once, and again only after the test was stable', () => {
      const flaky = [passed(1, c1), failed(2, c1)];
      given(...flaky)
        .when(failed(3, c1))
        .nothingFollows();
      given(...flaky, ...calm(10, 20), passed(40, { commit: 'c2' }))
        .when(failed(41, { commit: 'c2' }))
        .follows(becameFlaky('same_commit', 40, 41));
    });

    it('is not taken back by a deletion', () => {
      const history = historyOf(passed(1, c1), failed(2, c1), deleted(2), deleted(1));
      expect(history.state).to.equal('flaky');
    });
  });

  describe('stability', () => {
    const flaky = [passed(1, c1), failed(2, c1)];

    it('returns with the 20th entry in a row without new evidence', () => {
      expect(given(...flaky, ...calm(10, 18)).when(passed(40)).state).to.equal('flaky');
      given(...flaky, ...calm(10, 19))
        .when(failed(40))
        .follows(stabilised);
    });

    it('is reported once', () =>
      given(...flaky, ...calm(10, 20))
        .when(passed(40))
        .nothingFollows());

    it('is counted from zero again after new evidence', () => {
      const evidence = passed(40, { ...c1 });
      given(...flaky, ...calm(10, 19), evidence)
        .when(passed(41))
        .nothingFollows();
      given(...flaky, ...calm(10, 19), evidence, ...calm(50, 19))
        .when(passed(80))
        .follows(stabilised);
    });

    it('does not count skipped results, known failures and corrections', () => {
      const uncounted = [entry(50, 'Skipped'), entry(51, 'KnownFail'), passed(10, again)];
      given(...flaky, ...calm(10, 18), ...uncounted)
        .when(passed(40))
        .nothingFollows();
      given(...flaky, ...calm(10, 18), ...uncounted, passed(40))
        .when(passed(41))
        .follows(stabilised);
    });

    it('never follows from a correction', () =>
      given(...flaky, ...calm(10, 19))
        .when(passed(1, { ...c1, ...again }))
        .nothingFollows());
  });

  describe('summary', () => {
    it('has the last 20 outcomes of any status, newest first', () => {
      const history = historyOf(failed(1), ...calm(10, 17), entry(2, 'Skipped'), entry(3, 'KnownFail'));
      expect(lastOutcomes(history)).to.deep.equal([
        'known_fail',
        'skipped',
        ...Array<string>(17).fill('passed'),
        'failed',
      ]);
      expect(lastOutcomes(historyOf(failed(1), ...calm(10, 20)))).to.deep.equal(Array(20).fill('passed'));
    });

    it('has the share of failures among the last 50 entries of any status', () => {
      expect(
        failureRate(historyOf(failed(1), passed(2), entry(3, 'Skipped'), entry(4, 'KnownFail'))),
      ).to.equal(0.25);
      expect(failureRate(historyOf(failed(1), ...calm(10, 49)))).to.equal(0.02);
      expect(failureRate(historyOf(failed(1), ...calm(10, 50)))).to.equal(0);
    });

    it('is empty for a test without entries', () => {
      expect(lastOutcomes(noHistory)).to.deep.equal([]);
      expect(failureRate(noHistory)).to.equal(0);
    });

    it('has a corrected result once, and no deleted result', () => {
      expect(lastOutcomes(historyOf(failed(1), passed(2), entry(1, 'Skipped', again)))).to.deep.equal([
        'skipped',
        'passed',
      ]);
      expect(lastOutcomes(historyOf(entry(1, 'KnownFail'), entry(2, 'Skipped'), deleted(1)))).to.deep.equal([
        'skipped',
      ]);
    });
  });

  it('is immutable: each change returns a new history', () => {
    const history = Object.freeze(historyOf(passed(1, c1)));
    expect(withEntry(history, failed(2, c1)).history.state).to.equal('flaky');
    expect(without(history, idOf('result', 1)).packed).to.equal('');
    expect(history).to.deep.equal(historyOf(passed(1, c1)));
  });

  it('does not change when a result is deleted that it does not have', () => {
    const history = historyOf(passed(1), entry(2, 'Skipped'));
    for (const id of [idOf('result', 3), itemId(idOf('run', 1), 0)]) {
      expect(without(history, id)).to.deep.equal(history);
    }
  });
});
