import { expect } from 'chai';
import { itemId } from '../../../src/domain/ids.js';
import { withEntry, without } from '../../../src/domain/test-history/test-history.js';
import { idOf } from '../ids.js';
import { becameFlaky, entry, failed, given, historyOf, passed } from './given.js';

const c1 = { commit: 'c1' };
const run = { run_id: idOf('run', 1) };

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
