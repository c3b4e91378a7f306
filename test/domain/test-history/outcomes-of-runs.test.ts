import { expect } from 'chai';
import { itemId } from '../../../src/domain/ids.js';
import { statusWords } from '../../../src/domain/result.js';
import { outcomesOfRuns } from '../../../src/domain/test-history/outcomes-of-runs.js';
import type { TestEntry } from '../../../src/domain/test-history/test-entry.js';
import { idOf } from '../ids.js';
import { entry, failed, historyOf, passed } from './given.js';

const [one, two] = [idOf('run', 1), idOf('run', 2)];
const wordsOf = (entries: readonly TestEntry[]) =>
  entries.map(({ result_id, status }) => ({ result_id, status: statusWords[status] })).toReversed();
const outcomesOf = (...entries: readonly TestEntry[]) =>
  outcomesOfRuns(historyOf(...entries), wordsOf(entries));

describe('the outcomes of a test by run', () => {
  it('are one for all attempts in a run: the last one decides, also if it came before others', () => {
    expect(outcomesOf(failed(1, { run_id: one }), passed(2, { run_id: one, attempt: 2 }))).to.deep.equal([
      'flaky',
    ]);
    expect(
      outcomesOf(
        failed(1, { run_id: one, attempt: 2 }),
        failed(2, { run_id: one, attempt: 1 }),
        passed(3, { run_id: two, attempt: 2 }),
        passed(4, { run_id: two, attempt: 1 }),
      ),
    ).to.deep.equal(['passed', 'failed']);
  });

  it('are one for an item of a submission and a later result of its run', () => {
    const item = entry(1, 'Failed', { result_id: itemId(one, 0), run_id: one });
    expect(outcomesOf(item, passed(2, { run_id: one, attempt: 2 }))).to.deep.equal(['flaky']);
  });

  it('are one for each result without a run, and for each that neither passed nor failed', () => {
    const skipped = [3, 4].map((n) => entry(n, 'Skipped', { run_id: one }));
    expect(outcomesOf(passed(1), failed(2), ...skipped)).to.deep.equal([
      'skipped',
      'skipped',
      'failed',
      'passed',
    ]);
  });

  it('end where the run of a result is not known', () => {
    const entries = [passed(1), failed(2), passed(3)];
    expect(outcomesOfRuns(historyOf(passed(3)), wordsOf(entries))).to.deep.equal(['passed']);
  });
});
