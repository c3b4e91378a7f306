import { expect } from 'chai';
import { itemId } from '../../../src/domain/ids.js';
import { statusWords } from '../../../src/domain/results/result.js';
import { inLikeRuns, outcomesOfRuns } from '../../../src/domain/test-history/outcomes-of-runs.js';
import { runHash } from '../../../src/domain/test-history/packed-entry.js';
import type { TestEntry } from '../../../src/domain/test-history/test-entry.js';
import { idOf } from '../ids.js';
import { entry, failed, historyOf, passed } from './given.js';

const [one, two] = [idOf('run', 1), idOf('run', 2)];
const wordsOf = (entries: readonly TestEntry[]) =>
  entries.map(({ result_id, status }) => ({ result_id, status: statusWords[status] })).toReversed();
const outcomesOf = (...entries: readonly TestEntry[]) =>
  outcomesOfRuns(historyOf(...entries), wordsOf(entries)).map(({ outcome }) => outcome);

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

  it('are one for each result without a run, and that of an attempt that ran before those that did not', () => {
    const skipped = [3, 4].map((n) => entry(n, 'Skipped', { run_id: one }));
    expect(outcomesOf(passed(1), failed(2), ...skipped)).to.deep.equal(['skipped', 'failed', 'passed']);
    expect(outcomesOf(failed(1, { run_id: one }), ...skipped)).to.deep.equal(['failed']);
    expect(outcomesOf(...skipped, failed(5, { run_id: one }))).to.deep.equal(['failed']);
  });

  it('end where the run of a result is not known', () => {
    const entries = [passed(1), failed(2), passed(3)];
    expect(outcomesOfRuns(historyOf(passed(3)), wordsOf(entries))).to.have.length(1);
  });

  describe('in runs of one tool and environment', () => {
    const run = (n: number, tool: string | null, environment_key = '') => ({
      hash: runHash(idOf('run', n)),
      tool,
      environment_key,
    });
    const history = [
      failed(1, { run_id: idOf('run', 1) }),
      passed(2, { run_id: idOf('run', 2) }),
      failed(3, { run_id: idOf('run', 3) }),
    ];
    const all = outcomesOfRuns(historyOf(...history), wordsOf(history));

    it('are those of the tool of the newest, with an empty cell for each run that lacks the test', () => {
      const runs = [
        run(5, 'jest'),
        run(4, 'mocha'),
        run(3, 'jest'),
        run(2, 'mocha'),
        run(1, 'jest'),
        run(6, 'jest'),
      ];
      expect(inLikeRuns(all, runs)).to.deep.equal({ tool: 'jest', outcomes: [null, 'failed', 'failed'] });
      const inWindows = [run(3, 'jest', 'os=windows'), run(2, 'jest'), run(1, 'jest', 'os=windows')];
      expect(inLikeRuns(all, inWindows).outcomes).to.deep.equal(['failed', 'failed']);
    });

    it('are those of runs of unknown tools where that of the newest is not known', () => {
      expect(inLikeRuns(all, [run(2, 'mocha')])).to.deep.equal({
        tool: null,
        outcomes: ['failed', 'failed'],
      });
      expect(inLikeRuns([], [run(2, 'mocha')])).to.deep.equal({ tool: null, outcomes: [] });
    });
  });
});
