/** Results as Surface B shows them. A failed one has facts that the read models of the outbox hold. */
import { resultDocuments, runDocuments, type ResultDocument } from '../../../projections/runs.js';
import { isFailed, noFailure, type FailureFactsOf } from '../../queries/failure-facts.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { Freshness } from '../../projecting/freshness.js';
import { withRoomForMessages } from '../long-messages.js';
import type { Call } from '../route.js';
import { resultData } from './records.js';

export type ShowResults = (
  call: Pick<Call, 'waitFor'>,
  results: readonly ResultDocument[],
) => Promise<object[]>;

/** `published`: only an answer with a failed result waits for the outbox. Null for routes that have waited for it. */
export function showingResults(facts: FailureFactsOf, published: Freshness | null): ShowResults {
  return async ({ waitFor }, results) => {
    if (published !== null && results.some(isFailed)) await waitFor(published);
    const failures = await facts(results);
    return withRoomForMessages(results).map((each) =>
      resultData(each, failures.get(each.test_result_id) ?? noFailure),
    );
  };
}

/** The results that exist, in the order of the ids. `current`: the views are not behind. */
export async function completeResults(
  views: TeamViews,
  team: string,
  ids: readonly string[],
  current: boolean,
): Promise<ResultDocument[]> {
  const results = await views.some(resultDocuments, team, ids);
  if (current) return results;
  // Views that are behind may have only some results of a submission: a result is complete once its run is there.
  const runs = [...new Set(results.flatMap(({ test_run_id }) => test_run_id ?? []))];
  const there = new Set((await views.some(runDocuments, team, runs)).map((run) => run.test_run_id));
  return results.filter(({ test_run_id }) => test_run_id === null || there.has(test_run_id));
}
