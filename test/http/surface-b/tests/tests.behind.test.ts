import { expect } from 'chai';
import type { ResultDocument, RunDocument } from '../../../../projections/records/run-documents.js';
import type { TestQueries } from '../../../../src/queries/tests/test-queries.js';
import type { Call } from '../../../../src/http/route.js';
import type { Sources } from '../../../../src/http/sources.js';
import type { ShowResults } from '../../../../src/http/surface-b/runs/result-records.js';
import { testHistoryRoutes, testRoutes } from '../../../../src/http/surface-b/tests.js';
import type { CollectionSpec } from '../../../../src/domain/projection.js';
import type { TeamViews } from '../../../../src/queries/team-views.js';
import { idOf } from '../../../domain/ids.js';

/** Views with these runs and three results: one without a run, one of the first run, one of the second. */
function historyShown({ runs, fresh }: { runs: readonly string[]; fresh: boolean }): Promise<string[]> {
  const [first, second] = [idOf('run', 1), idOf('run', 2)];
  const results = [null, first, second].map((test_run_id, n) => {
    return { test_result_id: idOf('result', n), test_run_id, status: 'Passed' } as ResultDocument;
  });
  const ids = [...results.map(({ test_result_id }) => test_result_id), idOf('result', 9)];
  const tests = {
    mustExist: async () => undefined,
    history: async () => ({ items: ids, total: 4 }),
  } as unknown as TestQueries;
  const views = {
    some: async ({ name }: CollectionSpec, _team: string, wanted: readonly string[]) =>
      name === 'results'
        ? results.filter(({ test_result_id }) => wanted.includes(test_result_id))
        : runs.filter((run) => wanted.includes(run)).map((test_run_id) => ({ test_run_id }) as RunDocument),
  } as unknown as TeamViews;
  const call = {
    key: { team_id: idOf('team') },
    params: { id: idOf('project'), test: idOf('test') },
    query: { page: 1, per_page: 20 },
    waitFor: async () => fresh,
  } as unknown as Call;
  const showResults: ShowResults = async (_call, results) =>
    results.map(({ test_result_id: id, test_name: name }) => ({ id, name }));
  const [route] = testHistoryRoutes({ tests, views, showResults } as Sources);
  return route!
    .handle(call)
    .then(({ body }) => (body as { data: { id: string }[] }).data.map(({ id }) => id));
}

describe('surface B: the history of a test in views that are behind', () => {
  it('has no result of a submission that is incomplete, and no missing result', async () => {
    expect(await historyShown({ runs: [idOf('run', 2)], fresh: false })).to.deep.equal([
      idOf('result', 0),
      idOf('result', 2),
    ]);
  });

  it('reads no run if the views are not behind', async () => {
    expect(await historyShown({ runs: [], fresh: true })).to.deep.equal(
      [0, 1, 2].map((n) => idOf('result', n)),
    );
  });
});

describe('surface B: the list of tests', () => {
  it('waits for the records too where it has the last runs, and for the history alone without them', async () => {
    const waitedFor = async (query: object) => {
      const waited: string[][] = [];
      const tests = {
        mustExist: async () => undefined,
        list: async () => ({ items: [], total: 0, searched: 0 }),
      } as unknown as TestQueries;
      const call = {
        key: { team_id: idOf('team') },
        params: { id: idOf('project') },
        query: { page: 1, per_page: 20, ...query },
        rate: { charge: () => undefined },
        waitFor: async (...models: string[]) => waited.push(models) > 0,
      } as unknown as Call;
      const route = testRoutes({ tests } as Sources).find(({ path }) => path === '/projects/:id/tests');
      await route!.handle(call);
      return waited;
    };
    expect(await waitedFor({ details: 'true' })).to.deep.equal([['history', 'records']]);
    expect(await waitedFor({})).to.deep.equal([['history']]);
  });
});
