import { expect } from 'chai';
import type { RunDocument } from '../../../../projections/records/run-documents.js';
import { findRuns, runFilterOf } from '../../../../src/http/surface-b/runs/run-filters.js';
import { limits } from '../../../../src/limits.js';
import type { ViewQuery } from '../../../../src/ports/views.js';
import type { TeamViews } from '../../../../src/queries/team-views.js';

const sort = { field: 'created_position', direction: 'descending' } as const;

describe('the filters of a list of runs', () => {
  it('enter the index by the commit, build, pull request, branch or environment, by the first of these', () => {
    const all = { project_id: 'p', branch: 'b', commit: 'c', pull_request: '7', status: 'failed' };
    expect(runFilterOf(all)).to.deep.equal({
      where: { project_id: 'p', commit: 'c', outcome: 'failed' },
      others: { branch: 'b', pull_request: '7' },
    });
    expect(runFilterOf({ project_id: 'p', branch: 'b', pull_request: '7' })).to.deep.equal({
      where: { project_id: 'p', pull_request: '7' },
      others: { branch: 'b' },
    });
    expect(runFilterOf({ project_id: 'p', branch: 'b', status: 'running' })).to.deep.equal({
      where: { project_id: 'p', branch: 'b', status: 'Running' },
      others: {},
    });
    expect(runFilterOf({ project_id: 'p', build: '7', branch: 'b', status: 'failed' })).to.deep.equal({
      where: { project_id: 'p', build: '7' },
      others: { branch: 'b', outcome: 'failed' },
    });
    expect(runFilterOf({ project_id: 'p', environment: 'os=linux,node=22' })).to.deep.equal({
      where: { project_id: 'p', environment_key: 'node=22,os=linux' },
      others: {},
    });
    expect(runFilterOf({ project_id: 'p', environment: '', branch: 'b' })).to.deep.equal({
      where: { project_id: 'p', branch: 'b' },
      others: { environment_key: '' },
    });
    expect(runFilterOf({ project_id: 'p' })).to.deep.equal({ where: { project_id: 'p' }, others: {} });
  });

  it('look through the newest 1,000 runs and no more, a hundred at a time, and say how many', async () => {
    const { views, sizes } = viewsOf(2_500);
    const charged: number[] = [];
    const find = findRuns(views, { others: { branch: 'main' } }, (runs) => charged.push(runs));
    const where = { project_id: 'p', commit: 'c' };
    const { items, total } = await find({ where, sort, offset: 498, limit: 5 });
    expect(total).to.equal(limits.runsLookedThrough / 2);
    expect(items.map(({ test_run_id }) => test_run_id)).to.deep.equal(['run 996', 'run 998']);
    expect(sizes).to.deep.equal(Array(10).fill(100));
    expect(charged).to.deep.equal([1_000]);
  });

  it('find words of what says what a run is, in any order and ignoring case, and nothing else in its metadata', async () => {
    const { views } = viewsOf(100);
    const found = async (q: string) => {
      const { where, ...rest } = runFilterOf({ project_id: 'p', q });
      return (await findRuns(views, rest, () => {})({ where, sort, offset: 0, limit: 1 })).total;
    };
    expect(await found('MAI')).to.equal(50);
    // Those whose message has a 7, of which 11 begin with it.
    expect(await found('change 7')).to.equal(19);
    expect(await found('7 CHANGE')).to.equal(19);
    expect(await found('secret')).to.equal(0);
  });

  it('look through all runs where there are fewer', async () => {
    const { views, sizes } = viewsOf(150);
    const find = findRuns(views, { others: { branch: 'main' } }, () => {});
    const { items, total } = await find({
      where: { project_id: 'p', commit: 'c' },
      sort,
      offset: 0,
      limit: 2,
    });
    expect([items.length, total, sizes.length]).to.deep.equal([2, 75, 2]);
  });
});

/** Runs in the order of the list. Every second one, from the first on, is on main. */
function viewsOf(count: number) {
  const runs = Array.from({ length: count }, (_, n) => ({
    test_run_id: `run ${n}`,
    branch: n % 2 === 0 ? 'main' : 'other',
    metadata: { message: `Change ${n}`, other: 'secret' },
  })) as unknown as RunDocument[];
  const sizes: number[] = [];
  const find = async (_: unknown, { after, limit }: ViewQuery) => {
    const from = after === undefined ? 0 : Number(after.value) + 1;
    sizes.push(limit);
    const last = from + limit - 1;
    return {
      items: runs.slice(from, from + limit),
      next: last < count - 1 ? { value: last, id: 'id' } : null,
    };
  };
  return { views: { find } as unknown as TeamViews, sizes };
}
