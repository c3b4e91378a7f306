/** The outcomes of tests by run, of one branch, tool and environment. */
import { linesOf, worstFirst } from '../../projections/history/lines.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import type { TestDocument } from '../../projections/history/tests.js';
import { environmentOf, type Environment, type EnvironmentKey } from '../domain/environment.js';
import { statusWords } from '../domain/results/result.js';
import {
  inLikeRuns,
  outcomesOfRuns,
  type RunWord,
  type ShownRun,
} from '../domain/test-history/outcomes-of-runs.js';
import { hashOf, runHash } from '../domain/test-history/packed-entry.js';
import { OUTCOMES, WINDOW } from '../domain/test-history/test-history.js';
import { understoodRun } from '../domain/understood.js';
import type { TypedViews } from '../projecting/typed-views.js';
import { listedEntries, newestOfLine } from './listed-entries.js';
import type { TeamViews } from './team-views.js';
import { placedLine, statesOf } from './tests/test-states.js';

/** `outcomes`: newest first; null for a run without the test. */
export type LastRuns = {
  branch: string | null;
  tool: string | null;
  environment: Environment | null;
  environment_key: EnvironmentKey;
  outcomes: (RunWord | null)[];
};

/** The newest runs of a branch, among which those of the tool and environment are. A list may have many branches. */
const RUNS = { perBranch: 100, inAll: 500, atLeast: 20 };

type Views = Pick<TypedViews, 'get'>;
type Selected = { branch?: string | undefined; environment?: EnvironmentKey | undefined };
type Place = { branch: string | null; environment: EnvironmentKey };

/**
 * For each of some tests of a project. Where no environment is named, in that of its worst line, or of its newest result if none needs
 * somebody or that one has no result on the branch. Where no branch is named, on that of the newest result there.
 */
export async function lastRunsOf(
  { views, records }: { views: Views; records: Pick<TeamViews, 'find'> },
  tests: readonly TestDocument[],
  selected: Selected,
): Promise<LastRuns[]> {
  const places = await Promise.all(tests.map(async (test) => placeOf(views, test, selected)));
  const branches = new Set(places.map(({ branch }) => branch));
  const each = Math.floor(RUNS.inAll / branches.size);
  const limit = Math.max(RUNS.atLeast, Math.min(RUNS.perBranch, each));
  const project = tests[0]?.project_id ?? '';
  const runs = new Map(
    await Promise.all(
      [...branches].map(
        async (branch) => [branch, await newestRuns(records, project, branch, limit)] as const,
      ),
    ),
  );
  return Promise.all(
    tests.map(async (test, n) => lastRuns(views, test, places[n]!, runs.get(places[n]!.branch)!)),
  );
}

async function lastRuns(
  views: Views,
  test: TestDocument,
  place: Place,
  runs: readonly ShownRun[],
): Promise<LastRuns> {
  const { branch, environment } = place;
  const items = await newestOfLine(views, test, place, WINDOW);
  const entries = items.map(({ result_id, status }) => ({ result_id, status: statusWords[status] }));
  const [state] = await statesOf(views, [placedLine(test, environment)]);
  const { tool, outcomes } = inLikeRuns(outcomesOfRuns(state!.history, entries), runs);
  return {
    branch,
    tool,
    environment: environmentOf(environment),
    environment_key: environment,
    outcomes: outcomes.slice(0, OUTCOMES),
  };
}

async function newestRuns(
  records: Pick<TeamViews, 'find'>,
  project_id: string,
  branch: string | null,
  limit: number,
): Promise<ShownRun[]> {
  const sort = { field: 'created_position', direction: 'descending' } as const;
  const { items } = await records.find(runDocuments, { where: { project_id, branch }, sort, limit });
  return items.map(({ test_run_id, environment_key, metadata }) => ({
    hash: runHash(test_run_id),
    environment_key,
    tool: understoodRun(metadata).tool,
  }));
}

async function placeOf(views: Views, test: TestDocument, { branch, environment }: Selected): Promise<Place> {
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
