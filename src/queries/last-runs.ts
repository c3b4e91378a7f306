/** The outcomes of tests by run, on one branch and in one environment, from the history. */
import { history } from '../../projections/history/history.js';
import { linesOf, numberOf, worstFirst } from '../../projections/history/lines.js';
import { testDocuments, type TestDocument } from '../../projections/history/tests.js';
import { environmentOf, type Environment, type EnvironmentKey } from '../domain/environment.js';
import { statusWords } from '../domain/result.js';
import { outcomesOfRuns, type RunWord } from '../domain/test-history/outcomes-of-runs.js';
import { hashOf } from '../domain/test-history/packed-entry.js';
import { OUTCOMES, WINDOW } from '../domain/test-history/test-history.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { listedEntries, newestOfLine } from './listed-entries.js';
import { statesOf } from './test-states.js';
import type { Selection } from './test-views.js';

/** `outcomes`: newest first. */
export type LastRuns = {
  branch: string | null;
  environment: Environment | null;
  environment_key: EnvironmentKey;
  outcomes: RunWord[];
};

/**
 * For each test. Where no environment is named, in that of its worst line, or of its newest result if none needs somebody or that one
 * has no result on the branch. Where no branch is named, on that of the newest result there.
 */
export type LastRunsOf = (testIds: readonly string[], selection: Selection) => Promise<LastRuns[]>;

export function openLastRuns(reader: ViewReader): LastRunsOf {
  const views = typedViews(reader, history);

  async function lastRuns(test: TestDocument, wanted: Selection): Promise<LastRuns> {
    const place = await placeOf(test, wanted);
    const { branch, environment } = place;
    const items = await newestOfLine(views, test, place, WINDOW);
    const entries = items.map(({ result_id, status }) => ({ result_id, status: statusWords[status] }));
    const number = numberOf(test, environment);
    const [state] = await statesOf(views, [number === null ? null : { ...test, number }]);
    const outcomes = outcomesOfRuns(state!.history, entries).slice(0, OUTCOMES);
    return { branch, environment: environmentOf(environment), environment_key: environment, outcomes };
  }

  async function placeOf(test: TestDocument, { branch, environment }: Selection) {
    if (branch !== undefined && environment !== undefined) return { branch, environment };
    const [worst] = worstFirst(linesOf(test));
    const wanted = environment ?? (worst?.trouble === undefined ? undefined : worst.environment);
    const inLine =
      wanted === undefined ? [] : await newestOfLine(views, test, { branch, environment: wanted }, 1);
    const [newest] =
      inLine.length > 0 || environment !== undefined
        ? inLine
        : (await listedEntries(views, test, { branch }, { offset: 0, limit: 1 })).items;
    const line = linesOf(test).find((each) => hashOf(each.environment) === newest?.environment);
    return { branch: branch ?? newest?.branch ?? null, environment: environment ?? line?.environment ?? '' };
  }

  return async (testIds, selection) => {
    const tests = await views.get(testDocuments, testIds);
    return Promise.all(
      tests.map(async (test) => (test === null ? noRuns(selection) : lastRuns(test, selection))),
    );
  };
}

function noRuns({
  branch = null,
  environment = '',
}: {
  branch?: string | null | undefined;
  environment?: EnvironmentKey | undefined;
}): LastRuns {
  return { branch, environment: environmentOf(environment), environment_key: environment, outcomes: [] };
}
