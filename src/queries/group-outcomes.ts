/**
 * In which of the last like runs a group of failures was seen, and in which its tests passed. Like runs are those of one
 * project, branch, tool and environment. That a run is over says nothing about tests that did not run in it.
 */
import { sightingDocuments } from '../../projections/history/failure-counts.js';
import { sightingId } from '../../projections/history/failure-scopes.js';
import { failureDocuments, type FailureDocument } from '../../projections/history/failure-documents.js';
import { history } from '../../projections/history/history.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import { testDocuments } from '../../projections/history/tests.js';
import { wholeTeam } from '../domain/teams/access.js';
import { passesIn } from '../domain/test-history/failing-runs.js';
import { understoodRun } from '../domain/understood.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { placedLine, statesOf } from './tests/test-states.js';
import type { TeamViews } from './team-views.js';

/** `failed`: a result of the run fails in the group. `passed`: none does, and a test of the group passed. */
export type GroupOutcome = { run_id: string; outcome: 'failed' | 'passed' | null };

export type GroupOutcomes = {
  /** In runs like that of a failure: `example` is the id of a result in the run in which the group was seen last. */
  ofGroup(
    place: { team: string; project: string },
    group: string,
    example: string | null,
  ): Promise<GroupOutcome[]>;
  /** For each group that was seen in a run, in runs like that one. */
  ofRun(place: { team: string; run: string }, groups: readonly string[]): Promise<GroupOutcome[][]>;
};

type Like = Pick<RunDocument, 'project_id' | 'branch' | 'environment_key'> & { tool: string | null };
/** `sighting`: its id; its failing tests stand for the tests of the group. */
type Sought = { group: string; sighting: string };

/** Like runs. */
const RUNS = 20;
/** The newest runs of the branch, among which those of the tool and environment are looked for. */
const RUNS_OF_BRANCH = 100;
/** Failures of a group whose tests are looked for in the other runs: there may be thousands. */
const FAILURES = 10;

export function openGroupOutcomes(runs: TeamViews, reader: ViewReader): GroupOutcomes {
  const views = typedViews(reader, history);

  async function newestRuns({ project_id, branch, tool, environment_key }: Like): Promise<RunDocument[]> {
    const sort = { field: 'created_position', direction: 'descending' } as const;
    const query = { where: { project_id, branch }, sort, limit: RUNS_OF_BRANCH };
    const { items } = await runs.find(runDocuments, query);
    const isLike = (run: RunDocument) => run.environment_key === environment_key && toolOf(run) === tool;
    return items.filter(isLike).slice(0, RUNS);
  }

  /** For each group and run, whether a test of the group passed, in the environment in which it failed. */
  async function passes(sought: readonly Sought[], shown: readonly RunDocument[]): Promise<boolean[][]> {
    const sort = { field: 'placed', direction: 'ascending' } as const;
    const failures = await Promise.all(
      sought.map(async ({ sighting: listed_in }) => {
        return (await views.find(failureDocuments, { where: { listed_in }, sort, limit: FAILURES })).items;
      }),
    );
    const linesOf = failures.map((all) => new Map(all.map((failure) => [lineOf(failure), failure])));
    const lines = [...new Map(linesOf.flatMap((all) => [...all]))];
    const tests = await views.get(
      testDocuments,
      lines.map(([, { test_id }]) => test_id),
    );
    const places = lines.map(([, { environment = '' }], n) => {
      const test = tests[n] ?? null;
      return test && placedLine(test, environment);
    });
    const states = await statesOf(views, places);
    const runIds = shown.map(({ test_run_id }) => test_run_id);
    const passed = new Map(lines.map(([line], n) => [line, passesIn(states[n]!.history, runIds)]));
    return linesOf.map((all) =>
      shown.map((_, n) => [...all.keys()].some((line) => passed.get(line)![n] === true)),
    );
  }

  async function outcomesIn(like: Like, sought: readonly Sought[]): Promise<GroupOutcome[][]> {
    const shown = await newestRuns(like);
    const ids = sought.flatMap(({ group }) => shown.map((run) => sightingId(run.test_run_id, group)));
    const [seen, passed] = await Promise.all([views.get(sightingDocuments, ids), passes(sought, shown)]);
    return sought.map((_, g) =>
      shown.map(({ test_run_id: run_id, status }, n) => {
        if (seen[g * shown.length + n] != null) return { run_id, outcome: 'failed' };
        return { run_id, outcome: status === 'Completed' && passed[g]![n] === true ? 'passed' : null };
      }),
    );
  }

  return {
    async ofGroup({ team, project: project_id }, group, example) {
      const [failure] = example === null ? [] : await views.get(failureDocuments, [example]);
      // The failure is gone since its group was read.
      if (failure?.listed_in == null) return [];
      const { run_id, branch, environment: environment_key = '', listed_in: sighting } = failure;
      const [run] = run_id === null ? [] : await runs.some(runDocuments, wholeTeam(team), [run_id]);
      const like = run === undefined ? { project_id, branch, environment_key, tool: null } : likesOf(run);
      const [outcomes] = await outcomesIn(like, [{ group, sighting }]);
      return outcomes!;
    },

    async ofRun({ team, run: id }, groups) {
      const run = await runs.get(runDocuments, wholeTeam(team), id);
      return outcomesIn(
        likesOf(run),
        groups.map((group) => ({ group, sighting: sightingId(id, group) })),
      );
    },
  };
}

function likesOf(run: RunDocument): Like {
  const { project_id, branch, environment_key } = run;
  return { project_id, branch, environment_key, tool: toolOf(run) };
}

/** The line of the test of a failure. */
function lineOf({ test_id, environment = '' }: FailureDocument): string {
  return `${test_id} ${environment}`;
}

function toolOf({ metadata }: RunDocument): string | null {
  return understoodRun(metadata).tool;
}
