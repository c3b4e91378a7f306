import { expect } from 'chai';
import { projectDocuments } from '../../projections/records/projects.js';
import { usageDocuments } from '../../projections/records/usage.js';
import { deleteResult } from '../../src/commands/delete-result.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { openDays } from '../../src/usage/days.js';
import { usageOf, type Usage } from '../../src/usage/usage.js';
import { FILE_BYTES, openAttached } from '../retention/given-artifacts.js';
import { DAY_MS, openRetained, type Retained } from '../retention/given.js';

const noise = (n: number) => ({ test_name: `t${n}`, metadata: { worker: `number ${n}` } });

describe('the usage of a project', () => {
  let kept: Retained;
  let files: ReturnType<typeof openAttached>;
  let day: () => Promise<void>;
  beforeEach(async () => {
    kept = await openRetained();
    files = openAttached(kept);
    day = openDays(kept);
  });
  afterEach(async () => {
    expect(kept.faults).to.deep.equal([]);
    await kept.close();
  });

  async function usage(): Promise<Usage> {
    await kept.caughtUp();
    const projects = await kept.views.some(projectDocuments, wholeTeam(kept.team), [kept.project_id]);
    return (await usageOf(kept, projects))[0]!;
  }

  /** A day passes, in which nothing else happens. */
  async function night(days = 1): Promise<void> {
    for (let n = 0; n < days; n += 1) {
      kept.clock.forward(DAY_MS);
      await kept.caughtUp();
      await day();
    }
  }

  it('measures contents and files as they are stored, and counts verdicts, also of what was deleted', async () => {
    const none = { verdicts: 0, contents: 0, artifacts: 0 };
    expect((await usage()).taken).to.deep.equal(none);
    const run = await kept.submit([noise(1), noise(2), noise(1)]);
    const { test_result_id } = await kept.record(run, 'single', { metadata: { worker: 'number 2' } });
    await files.attach(test_result_id);
    const { taken, results, files: count } = await usage();
    expect([results, count]).to.deep.equal([4, 1]);
    // Four results name two contents.
    expect(taken.contents).to.equal(await kept.bytesKept());
    expect(taken.artifacts).to.equal(FILE_BYTES);
    expect(taken.verdicts).to.equal(3 * 265 + 1_457);
    const stores = { log: kept.log, forgetting: kept };
    await deleteResult(kept.commands, stores, kept.context(), test_result_id);
    await files.clean();
    const after = await usage();
    expect([after.results, after.files, after.taken.artifacts]).to.deep.equal([4, 0, 0]);
    expect(after.taken.verdicts).to.equal(taken.verdicts);
  });

  it('is the same after a rebuild', async () => {
    const run = await kept.submit([noise(1), noise(2)]);
    const { test_result_id } = await kept.record(run, 'single');
    for (let n = 0; n < 3; n += 1) await files.attach(test_result_id);
    await kept.record(null, 'alone');
    await kept.caughtUp();
    const again = await kept.rebuilt();
    const of = (views: Retained['views']) =>
      views.some(usageDocuments, wholeTeam(kept.team), [kept.project_id]);
    const live = await of(kept.views);
    expect(live[0]).to.deep.include({
      submitted: 2,
      single: 2,
      artifacts: 3,
      artifact_bytes: 3 * FILE_BYTES,
    });
    const folded = (await of(again.views)).map(({ position: _, ...one }) => one);
    expect(folded).to.deep.equal(live.map(({ position: _, ...one }) => one));
    await again.close();
  });

  it('grows by all that a young project has, and by 30 days of an old one, and shrinks by what goes', async () => {
    await kept.retain({ contents: 'P7D', passed_contents: 'P7D' });
    await day();
    await kept.submit([noise(1)]);
    const first = await usage();
    expect(first.grown).to.deep.equal(first.taken);
    await night(5);
    await kept.submit([noise(2), noise(3)]);
    await night(5);
    await files.clean();
    // The contents of the first run are gone.
    const young = await usage();
    expect(young.grown).to.deep.equal(young.taken);
    expect(young.taken.contents)
      .to.be.above(0)
      .and.equal(await kept.bytesKept());
    await night(23);
    await files.clean();
    const old = await usage();
    expect(old.taken.contents).to.equal(0);
    expect(old.grown.verdicts).to.equal(2 * 265);
    expect(Date.parse(old.since)).to.be.within(
      kept.clock().getTime() - 31 * DAY_MS,
      kept.clock().getTime() - 30 * DAY_MS,
    );
    await night(31);
    expect((await usage()).grown).to.deep.equal({ verdicts: 0, contents: 0, artifacts: 0 });
  });

  it('is noted once a day for each project, and kept for as long as growth needs it', async () => {
    await kept.caughtUp();
    const puts: string[] = [];
    const counting = openDays({
      ...kept,
      state: {
        ...kept.state,
        put: async (kind, key, value, options) => {
          puts.push(key);
          return kept.state.put(kind, key, value, options);
        },
      },
    });
    for (let n = 0; n < 3; n += 1) await counting();
    // Another process that leads does not note it again.
    await day();
    expect(puts).to.deep.equal([kept.project_id]);
    await night(50);
    const days = (await kept.state.get<unknown[]>('usage', kept.project_id))!.value;
    expect(days).to.have.length(32);
  });
});
