/** The outcomes of tests in their last runs on one branch, from the history. */
import { history } from '../../projections/history/history.js';
import { testDocuments } from '../../projections/history/tests.js';
import { outcomesOfRuns, type RunWord } from '../domain/test-history/outcomes-of-runs.js';
import { OUTCOMES, WINDOW } from '../domain/test-history/test-history.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { statusWords } from '../domain/result.js';
import { listedEntries, type ListedPart } from './listed-entries.js';
import { statesOf } from './test-states.js';

/** `outcomes`: newest first. */
export type LastRuns = { branch: string | null; outcomes: RunWord[] };

/** For each test; on the branch of its newest result where none is named. */
export type LastRunsOf = (testIds: readonly string[], branch: string | undefined) => Promise<LastRuns[]>;

const noEntries: ListedPart = { items: [], total: 0 };

export function openLastRuns(reader: ViewReader): LastRunsOf {
  const views = typedViews(reader, history);
  return async (testIds, wanted) => {
    const tests = await views.get(testDocuments, testIds);
    const states = await statesOf(views, tests);
    return Promise.all(
      tests.map(async (test, n) => {
        const { history } = states[n]!;
        const { items } =
          test === null ? noEntries : await listedEntries(views, test, wanted, { offset: 0, limit: WINDOW });
        const branch = wanted ?? items[0]?.branch ?? null;
        const entries = items
          .filter((entry) => entry.branch === branch)
          .map(({ result_id, status }) => ({ result_id, status: statusWords[status] }));
        return { branch, outcomes: outcomesOfRuns(history, entries).slice(0, OUTCOMES) };
      }),
    );
  };
}
