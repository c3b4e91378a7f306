/** Results as Surface B shows them. A failed one has facts that the history holds. */
import { isFailed, noFailure, type FailureFactsOf } from '../../../queries/failure-facts.js';
import { withRoomForMessages } from '../../bodies/long-messages.js';
import type { WholeResult } from '../../../queries/results/whole-results.js';
import type { Call } from '../../route.js';
import { resultData } from '../records.js';

export type ShowResults = (
  call: Pick<Call, 'waitFor'>,
  results: readonly WholeResult[],
) => Promise<{ id: string; name: string }[]>;

/** Only an answer with a failed result waits for the history. */
export function showingResults(facts: FailureFactsOf): ShowResults {
  return async ({ waitFor }, results) => {
    if (results.some(isFailed)) await waitFor('history');
    const failures = await facts(results);
    return withRoomForMessages(results).map((each) =>
      resultData(each, failures.get(each.test_result_id) ?? noFailure),
    );
  };
}
