/** Surface B: what is new in a run, compared with its baseline. */
import { resultDocuments, runDocuments } from '../../../projections/runs.js';
import { comparisonKinds, type ComparisonKind } from '../../domain/comparison/compare.js';
import { fail } from '../../errors.js';
import type { Comparisons } from '../../queries/comparisons.js';
import type { TeamViews } from '../../queries/team-views.js';
import { ok, type Call, type Route } from '../route.js';
import { paged, requestedPage } from './pages.js';
import type { ShowResults } from './result-records.js';

const PATH = '/test-runs/:id/comparison';

/** A run is in the read models of the ledger, its comparison in those of the outbox: these routes wait for both. */
export function comparisonRoutes(
  comparisons: Comparisons,
  views: TeamViews,
  showResults: ShowResults,
): Route[] {
  async function requested({ key, params, query, waitForViews }: Call) {
    await waitForViews();
    const { test_run_id } = await views.get(runDocuments, key.team_id, params['id']!);
    return [key.team_id, test_run_id, query['baseline'] as string | undefined] as const;
  }
  return [
    {
      method: 'GET',
      path: PATH,
      role: 'viewer',
      query: 'ComparisonQuery',
      handle: async (call) => ok({ data: await comparisons.summary(...(await requested(call))) }),
    },
    {
      method: 'GET',
      path: `${PATH}/:kind`,
      role: 'viewer',
      query: 'ComparedResultsQuery',
      async handle(call) {
        const asked = await requested(call);
        const kind = kindOf(call.params['kind']!);
        const page = requestedPage(call);
        const ids = (await comparisons.results(...asked))[kind];
        const wanted = ids.slice(page.offset, page.offset + page.per_page);
        const results = await views.some(resultDocuments, call.key.team_id, wanted);
        return ok(paged(await showResults(call, results), ids.length, page));
      },
    },
  ];
}

function kindOf(text: string): ComparisonKind {
  const kind = comparisonKinds.find((one) => one === text);
  return kind ?? fail('not_found', 'There is no such kind of results in a comparison.');
}
