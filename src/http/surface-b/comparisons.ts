/** Surface B: what is new in a run, compared with its baseline. */
import { runDocuments } from '../../../projections/records/run-documents.js';
import { comparisonKinds, type ComparisonKind } from '../../domain/comparison/compare.js';
import { fail } from '../../errors.js';
import { someResults } from '../../queries/run-results.js';
import { ok, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { paged, requestedPage } from './pages.js';

const PATH = '/test-runs/:id/comparison';

export function comparisonRoutes({ comparisons, views, showResults }: Sources): Route[] {
  async function requested({ key, params, query, waitFor }: Call) {
    const current = await waitFor('records', 'history');
    const { test_run_id: runId } = await views.get(runDocuments, key.team_id, params['id']!);
    const asked = { team: key.team_id, runId, baseline: query['baseline'] as string | undefined };
    return { asked, current };
  }
  return [
    {
      method: 'GET',
      path: PATH,
      operation: {
        id: 'getComparison',
        summary: 'Shows what is new in a run, compared with its baseline',
        answers: { 200: { data: 'Comparison' } },
      },
      role: 'viewer',
      query: 'ComparisonQuery',
      async handle(call) {
        const { asked } = await requested(call);
        return ok({ data: await comparisons.summary(asked) });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:kind`,
      operation: {
        id: 'listComparedResults',
        summary: 'Lists the results of one kind of a comparison',
        answers: { 200: { page: 'TestResult' } },
      },
      role: 'viewer',
      query: 'ComparedResultsQuery',
      async handle(call) {
        const { asked, current } = await requested(call);
        const kind = kindOf(call.params['kind']!);
        const page = requestedPage(call);
        const part = { offset: page.offset, limit: page.per_page };
        const { ids, total } = await comparisons.page(asked, kind, part);
        const results = await someResults(views, call.key.team_id, ids, current);
        return ok(paged(await showResults(call, results), total, page));
      },
    },
  ];
}

function kindOf(text: string): ComparisonKind {
  const kind = comparisonKinds.find((one) => one === text);
  return kind ?? fail('not_found', 'There is no such kind of results in a comparison.');
}
