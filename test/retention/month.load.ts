import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { logFile } from '../../src/adapters/sqlite/log/file.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import { findResults } from '../../src/queries/results/run-results.js';
import type { TeamViews } from '../../src/queries/team-views.js';
import { eventually } from '../stores.js';
import { DAY_MS, openRetained, type Retained } from './given.js';

const DAYS = 30;
const RUNS_A_DAY = 4;
const RESULTS_A_RUN = 25;

describe('retention over a month', () => {
  let kept: Retained;
  before(async () => {
    kept = await openRetained();
  });
  after(async () => {
    await kept.close();
  });

  /** A third fails, each with a text of its own, and one with the same text on every day. */
  const oneRun = (day: number) =>
    Array.from({ length: RESULTS_A_RUN }, (_, n) => {
      const own = randomBytes(1_500).toString('base64');
      if (n === 0) return { test_name: 'always', status: 'Failed' as const, error_message: 'no card' };
      if (n % 3 === 0) return { test_name: `t${n}`, status: 'Failed' as const, error_message: own };
      return { test_name: `t${n}`, metadata: { output: own, day } };
    });

  const resultsIn = async (views: TeamViews, run: string) =>
    (await findResults(views, wholeTeam(kept.team), run, { limit: 1_000 })).items;

  it('stays as large as a week is, but for verdicts, and a rebuild shows the same', async () => {
    await kept.retain({ contents: 'P7D', passed_contents: 'P7D' });
    const runs: { id: string; day: number }[] = [];
    const bytes: number[] = [];
    const files: number[] = [];
    for (let day = 0; day < DAYS; day += 1) {
      for (let n = 0; n < RUNS_A_DAY; n += 1) {
        runs.push({ id: await kept.submit(oneRun(day)), day });
        kept.clock.forward(DAY_MS / RUNS_A_DAY);
        await kept.sweep();
      }
      bytes.push(await kept.bytesKept());
      files.push((await stat(logFile(kept.folder))).size);
    }
    const aWeek = bytes[8]!;
    for (const each of bytes.slice(8)) expect(each).to.be.within(aWeek * 0.9, aWeek * 1.1);
    // The pages go back a few at a time. A verdict takes less than 300 bytes.
    const verdicts = RUNS_A_DAY * RESULTS_A_RUN * 300 * (DAYS - 8);
    await eventually(
      'the file is small',
      async () => (await stat(logFile(kept.folder))).size < files[8]! * 1.1 + verdicts,
    );

    const rebuilt = await kept.rebuilt();
    for (const { id, day } of runs) {
      const live = await resultsIn(kept.views, id);
      expect(await resultsIn(rebuilt.views, id)).to.deep.equal(live);
      const states = new Set(
        live.filter(({ test_name }) => test_name !== 'always').map((one) => one.contents),
      );
      if (day < DAYS - 8) expect([...states]).to.deep.equal(['expired']);
      if (day >= DAYS - 6) expect([...states]).to.deep.equal(['kept']);
      // A later run names the same text.
      const always = live.find(({ test_name }) => test_name === 'always')!;
      expect(always.error_message).to.equal('no card');
    }
    const listed = await kept.views.find(runDocuments, {
      where: { project_id: kept.project_id },
      sort: { field: 'created_position', direction: 'ascending' },
      limit: 1_000,
    });
    expect(listed.items.map(({ counts }) => counts.total)).to.deep.equal(runs.map(() => RESULTS_A_RUN));
    await rebuilt.close();
    expect(kept.faults).to.deep.equal([]);
  });
});
