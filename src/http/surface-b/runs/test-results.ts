/** Surface B: test results, of one run or one by one. */
import { runDocuments } from '../../../../projections/records/run-documents.js';
import { findResult, findResults, someResults } from '../../../queries/results/run-results.js';
import type { FinalWord } from '../../../domain/comparison/packed-line.js';
import { openSearchRun } from '../../../queries/results/search-run.js';
import type { ResultSorting } from '../../../queries/results/sorted-results.js';
import { searchPoints } from '../../backpressure/request-cost.js';
import { ok, type Call, type Reply, type Route } from '../../route.js';
import type { Sources } from '../../sources.js';
import { invalid } from '../../../errors.js';
import { environmentOf, paged, partOf, requestedPage } from '../pages.js';

/** Any of them selects results that count. */
const searches = ['status', 'q', 'environment', 'owner', 'tag', 'not_tag', 'sort', 'order', 'around'];

/** Failed results, and the longest ones, come first unless the query says otherwise. */
function sortingOf({ query }: Call): ResultSorting | undefined {
  const { sort, order, around } = query as Partial<ResultSorting> & { around?: string };
  if (sort === undefined) {
    if (order !== undefined) invalid('?order', 'not_valid', 'needs sort');
    return undefined;
  }
  if (around !== undefined) invalid('?sort', 'not_valid', 'cannot be combined with around');
  return { sort, order: order ?? (sort === 'status' ? 'asc' : 'desc') };
}

export function testResultRoutes({ views, historyViews, showResults }: Sources): Route[] {
  const search = openSearchRun(historyViews, views);
  async function searched(call: Call, current: boolean): Promise<Reply> {
    const { key, query, rate, params, waitFor } = call;
    const team = key.team_id;
    const { test_run_id: runId, project_id: projectId } = await views.get(runDocuments, key, params['id']!);
    await waitFor('history');
    const page = requestedPage(call);
    const around = query['around'] as string | undefined;
    if (around !== undefined && page.page !== 1)
      invalid('?page', 'not_valid', 'cannot be combined with around');
    const { owner, tag, not_tag, q } = query as Partial<Record<string, string>>;
    const wanted = {
      status: query['status'] as FinalWord | undefined,
      words: q === undefined ? [] : [q],
      environment: environmentOf(call),
      owner,
      tag,
      not_tag,
    };
    const part = { offset: page.offset, limit: page.per_page, around, sorting: sortingOf(call) };
    const { ids, offset, total, searched } = await search({ team, runId, projectId }, wanted, part);
    rate.charge(searchPoints(searched));
    const results = await someResults(views, key, ids, current);
    const found = around === undefined ? page.page : offset / page.per_page + 1;
    return ok(paged(await showResults(call, results), total, { ...page, page: found }));
  }

  return [
    {
      method: 'GET',
      path: '/test-runs/:id/results',
      operation: {
        id: 'listTestRunResults',
        summary: 'Lists the results of a run in order of creation',
        answers: { 200: { page: 'TestResult' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'run',
      query: 'RunResultsQuery',
      async handle(call) {
        const current = await call.waitFor('records');
        const id = call.params['id']!;
        if (searches.some((name) => call.query[name] !== undefined)) return searched(call, current);
        const page = requestedPage(call);
        const { items, total } = await findResults(views, call.key, id, partOf(call));
        return ok(paged(await showResults(call, items), total, page));
      },
    },
    {
      method: 'GET',
      path: '/test-results/:id',
      operation: { id: 'getTestResult', summary: 'Shows a result', answers: { 200: { data: 'TestResult' } } },
      role: 'viewer',
      reporter: true,
      asOf: 'result',
      query: 'AsOfQuery',
      async handle(call) {
        const { key, params, waitFor } = call;
        const current = await waitFor('records');
        const { result } = await findResult(views, key, params['id']!, current);
        const [data] = await showResults(call, [result]);
        return ok({ data });
      },
    },
  ];
}
