import { expect } from 'chai';
import { itemId } from '../../src/domain/ids.js';
import {
  failureRate,
  lastOutcomes,
  noHistory,
  withEntry,
  without,
} from '../../src/domain/test-history/test-history.js';
import { idOf } from './ids.js';
import {
  becameFlaky,
  calm,
  deleted,
  entry,
  failed,
  given,
  historyOf,
  passed,
  stabilised,
} from './test-history.given.js';

const c1 = { commit: 'c1' };
const run = { run_id: idOf('run', 1) };
const again = { again: true };

describe("a test's history", () => {
  describe('flakiness', () => {
    it('is to pass and to fail at one commit, in either order, on whatever branches', () => {
      given(passed(1, c1))
        .when(failed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
      given(failed(1, { ...c1, branch: 'main' }))
        .when(passed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
    });

    it('is not to do so at two commits, or at none', () => {
      given(passed(1, c1))
        .when(failed(2, { commit: 'c2' }))
        .nothingFollows();
      given(passed(1)).when(failed(2)).nothingFollows();
    });

    it('is to fail and to pass in a later attempt of the same run', () =>
      given(failed(1, run))
        .when(passed(2, { ...run, attempt: 2 }))
        .follows(becameFlaky('later_attempt', 1, 2)));

    it('is not to pass in the same or an earlier attempt, in another run, or without one', () => {
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

    it('is not to fail in a later attempt', () =>
      given(passed(1, run))
        .when(failed(2, { ...run, attempt: 2 }))
        .nothingFollows());

    it('looks at the nearest lower attempt only', () =>
      given(failed(1, { ...run }), passed(2, { ...run, attempt: 2, commit: 'c9' }))
        .when(passed(3, { ...run, attempt: 3 }))
        .nothingFollows());

    it('knows the run of a bulk submission by its items, and by results that came later', () => {
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

    it('is by the same commit where it is by both', () =>
      given(failed(1, { ...run, ...c1 }))
        .when(passed(2, { ...run, ...c1, attempt: 2 }))
        .follows(becameFlaky('same_commit', 1, 2)));

    it('does not come of skipped results, of known failures, or of corrections, then or later', () => {
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

    it('is seen within 50 entries that passed or failed, the last one among them', () => {
      const between = (count: number) => [...calm(10, count), entry(90, 'Skipped'), entry(91, 'KnownFail')];
      given(passed(1, c1), ...between(48))
        .when(failed(2, c1))
        .follows(becameFlaky('same_commit', 1, 2));
      given(passed(1, c1), ...between(49))
        .when(failed(2, c1))
        .nothingFollows();
    });

    it('is told once, until the test was stable again', () => {
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

    it('comes back with the 20th entry in a row without new evidence', () => {
      expect(given(...flaky, ...calm(10, 18)).when(passed(40)).state).to.equal('flaky');
      given(...flaky, ...calm(10, 19))
        .when(failed(40))
        .follows(stabilised);
    });

    it('is told once', () =>
      given(...flaky, ...calm(10, 20))
        .when(passed(40))
        .nothingFollows());

    it('is counted anew from new evidence', () => {
      const evidence = passed(40, { ...c1 });
      given(...flaky, ...calm(10, 19), evidence)
        .when(passed(41))
        .nothingFollows();
      given(...flaky, ...calm(10, 19), evidence, ...calm(50, 19))
        .when(passed(80))
        .follows(stabilised);
    });

    it('is not counted by skipped results, known failures and corrections', () => {
      const uncounted = [entry(50, 'Skipped'), entry(51, 'KnownFail'), passed(10, again)];
      given(...flaky, ...calm(10, 18), ...uncounted)
        .when(passed(40))
        .nothingFollows();
      given(...flaky, ...calm(10, 18), ...uncounted, passed(40))
        .when(passed(41))
        .follows(stabilised);
    });

    it('comes of a correction never', () =>
      given(...flaky, ...calm(10, 19))
        .when(passed(1, { ...c1, ...again }))
        .nothingFollows());
  });

  describe('what is read of it', () => {
    it('are the last 20 outcomes of any kind, newest first', () => {
      const history = historyOf(failed(1), ...calm(10, 17), entry(2, 'Skipped'), entry(3, 'KnownFail'));
      expect(lastOutcomes(history)).to.deep.equal([
        'known_fail',
        'skipped',
        ...Array<string>(17).fill('passed'),
        'failed',
      ]);
      expect(lastOutcomes(historyOf(failed(1), ...calm(10, 20)))).to.deep.equal(Array(20).fill('passed'));
    });

    it('is the share of failures among the last 50 entries of any kind', () => {
      expect(
        failureRate(historyOf(failed(1), passed(2), entry(3, 'Skipped'), entry(4, 'KnownFail'))),
      ).to.equal(0.25);
      expect(failureRate(historyOf(failed(1), ...calm(10, 49)))).to.equal(0.02);
      expect(failureRate(historyOf(failed(1), ...calm(10, 50)))).to.equal(0);
    });

    it('is nothing of a test without entries', () => {
      expect(lastOutcomes(noHistory)).to.deep.equal([]);
      expect(failureRate(noHistory)).to.equal(0);
    });

    it('has a corrected result once, and a deleted one not', () => {
      expect(lastOutcomes(historyOf(failed(1), passed(2), entry(1, 'Skipped', again)))).to.deep.equal([
        'skipped',
        'passed',
      ]);
      expect(lastOutcomes(historyOf(entry(1, 'KnownFail'), entry(2, 'Skipped'), deleted(1)))).to.deep.equal([
        'skipped',
      ]);
    });
  });

  it('is left as it is by what is made of it', () => {
    const history = Object.freeze(historyOf(passed(1, c1)));
    expect(withEntry(history, failed(2, c1)).history.state).to.equal('flaky');
    expect(without(history, idOf('result', 1)).packed).to.equal('');
    expect(history).to.deep.equal(historyOf(passed(1, c1)));
  });

  it('of another result does not change when one is deleted that it does not have', () => {
    const history = historyOf(passed(1), entry(2, 'Skipped'));
    for (const id of [idOf('result', 3), itemId(idOf('run', 1), 0)]) {
      expect(without(history, id)).to.deep.equal(history);
    }
  });
});
