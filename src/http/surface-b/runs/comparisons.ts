/** Surface B: what is new in a run, compared with its baseline. */
import { runDocuments } from '../../../../projections/records/run-documents.js';
import { comparisonKinds, type ComparisonKind } from '../../../domain/comparison/compare.js';
import type { components } from '../../../client/api.generated.js';
import { fail } from '../../../errors.js';
import { someResults } from '../../../queries/results/run-results.js';
import { ok, type Call, type Route } from '../../route.js';
import type { Sources } from '../../sources.js';
import { paged, requestedPage } from '../pages.js';

const PATH = '/test-runs/:id/comparison';

export function comparisonRoutes({ comparisons, views, showResults }: Sources): Route[] {
  async function requested({ key, params, query, waitFor }: Call) {
    const current = await waitFor('records', 'history');
    const { test_run_id: runId } = await views.get(runDocuments, key, params['id']!);
    const asked = { team: key.team_id, runId, baseline: query['baseline'] as string | undefined };
    return { asked, current };
  }

  async function compared(call: Call, kind: ComparisonKind) {
    const { asked, current } = await requested(call);
    const page = requestedPage(call);
    const part = { offset: page.offset, limit: page.per_page };
    const { ids, total } = await comparisons.page(asked, kind, part);
    const results = await someResults(views, call.key, ids, current);
    const shown = (await showResults(call, results)) as components['schemas']['TestResult'][];
    return { ids, results: shown, total, page };
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
      reporter: true,
      asOf: 'run',
      query: 'ComparisonQuery',
      async handle(call) {
        const { asked } = await requested(call);
        return ok({ data: await comparisons.summary(asked) });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/renamed_maybe`,
      operation: {
        id: 'listRenamedTests',
        summary: 'Lists the removed tests that may have another name now',
        answers: { 200: { page: 'RenamedTest' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'run',
      query: 'ComparedResultsQuery',
      async handle(call) {
        const { ids, results, total, page } = await compared(call, 'renamed_maybe');
        return ok(paged(pairsOf(ids, results), total, page));
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
      reporter: true,
      asOf: 'run',
      query: 'ComparedResultsQuery',
      async handle(call) {
        const { results, total, page } = await compared(call, kindOf(call.params['kind']!));
        return ok(paged(results, total, page));
      },
    },
  ];
}

/** Without those of which a result was deleted meanwhile. */
function pairsOf(
  ids: readonly string[],
  results: readonly components['schemas']['TestResult'][],
): components['schemas']['RenamedTest'][] {
  const shown = new Map(results.map((result) => [result.id, result]));
  return ids.flatMap((id, n) => {
    const [removed, added] = [shown.get(id), shown.get(ids[n + 1] ?? '')];
    return n % 2 === 0 && removed !== undefined && added !== undefined ? [{ removed, added }] : [];
  });
}

function kindOf(text: string): ComparisonKind {
  const kind = comparisonKinds.find((one) => one === text);
  return kind ?? fail('not_found', 'There is no such kind of results in a comparison.');
}
