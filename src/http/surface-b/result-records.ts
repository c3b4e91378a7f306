/** Results as Surface B shows them. A failed one has facts that the read models of the outbox hold. */
import type { ResultDocument } from '../../../projections/run-documents.js';
import { isFailed, noFailure, type FailureFactsOf } from '../../queries/failure-facts.js';
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
