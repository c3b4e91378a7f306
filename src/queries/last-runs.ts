/** The outcomes of tests in their last runs on one branch, from the read models of the outbox projector. */
import { outbox } from '../../projections/outbox.js';
import { entryDocuments, testDocuments } from '../../projections/test-histories.js';
import { outcomesOfRuns, type RunWord } from '../domain/test-history/outcomes-of-runs.js';
import { OUTCOMES, WINDOW } from '../domain/test-history/test-history.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { statesOf } from './test-states.js';

/** `outcomes`: newest first. */
export type LastRuns = { branch: string | null; outcomes: RunWord[] };

/** For each test; on the branch of its newest result where none is named. */
export type LastRunsOf = (testIds: readonly string[], branch: string | undefined) => Promise<LastRuns[]>;

export function openLastRuns(reader: ViewReader): LastRunsOf {
  const views = typedViews(reader, outbox);
  return async (testIds, wanted) => {
    const states = await statesOf(views, await views.get(testDocuments, testIds));
    return Promise.all(
      testIds.map(async (test_id, n) => {
        const where = { test_id, ...(wanted !== undefined && { branch: wanted }) };
        const sort = { field: 'placed', direction: 'descending' } as const;
        // The history knows the runs of this many results.
        const { items } = await views.find(entryDocuments, { where, sort, limit: WINDOW });
        const branch = wanted ?? items[0]?.branch ?? null;
        const entries = items.filter((entry) => entry.branch === branch);
        const outcomes = outcomesOfRuns(states[n]!.history, entries).slice(0, OUTCOMES);
        return { branch, outcomes };
      }),
    );
  };
}
