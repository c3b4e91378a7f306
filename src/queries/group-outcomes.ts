/**
 * In which of the last runs of a line a group of failures was seen, and in which its tests passed. A line is the runs
 * of one project, branch and tool. That a run is over says nothing about tests that did not run in it.
 */
import { sightingDocuments } from '../../projections/history/failure-counts.js';
import { sightingId } from '../../projections/history/failure-scopes.js';
import { failureDocuments } from '../../projections/history/failure-documents.js';
import { history } from '../../projections/history/history.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import { testDocuments } from '../../projections/history/tests.js';
import { passesIn } from '../domain/test-history/failing-runs.js';
import { understoodRun } from '../domain/understood.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import { statesOf } from './test-states.js';
import type { TeamViews } from './team-views.js';

/** `failed`: a result of the run fails in the group. `passed`: none does, and a test of the group passed. */
export type GroupOutcome = { run_id: string; outcome: 'failed' | 'passed' | null };

export type GroupOutcomes = {
  /** In the line of a failure: `example` is the id of a result in the run in which the group was seen last. */
  ofGroup(
    place: { team: string; project: string },
    group: string,
    example: string | null,
  ): Promise<GroupOutcome[]>;
  /** For each group that was seen in a run, in the line of that run. */
  ofRun(place: { team: string; run: string }, groups: readonly string[]): Promise<GroupOutcome[][]>;
};

type Line = { project_id: string; branch: string | null; tool: string | null };
/** `sighting`: its id; its failing tests stand for the tests of the group. */
type Sought = { group: string; sighting: string };

/** Runs of a line. */
const RUNS = 20;
/** The newest runs of the branch, among which those of the tool are looked for. */
const RUNS_OF_BRANCH = 100;
/** Failures of a group whose tests are looked for in the other runs: there may be thousands. */
const FAILURES = 10;

export function openGroupOutcomes(runs: TeamViews, reader: ViewReader): GroupOutcomes {
  const views = typedViews(reader, history);

  async function newestRuns({ project_id, branch, tool }: Line): Promise<RunDocument[]> {
    const sort = { field: 'created_position', direction: 'descending' } as const;
    const query = { where: { project_id, branch }, sort, limit: RUNS_OF_BRANCH };
    const { items } = await runs.find(runDocuments, query);
    return items.filter((run) => toolOf(run) === tool).slice(0, RUNS);
  }

  /** For each group and run, whether a test of the group passed. */
  async function passes(sought: readonly Sought[], shown: readonly RunDocument[]): Promise<boolean[][]> {
    const sort = { field: 'placed', direction: 'ascending' } as const;
    const failures = await Promise.all(
      sought.map(async ({ sighting: listed_in }) => {
        return (await views.find(failureDocuments, { where: { listed_in }, sort, limit: FAILURES })).items;
      }),
    );
    const testsOf = failures.map((all) => [...new Set(all.map(({ test_id }) => test_id))]);
    const ids = [...new Set(testsOf.flat())];
    const states = await statesOf(views, await views.get(testDocuments, ids));
    const runIds = shown.map(({ test_run_id }) => test_run_id);
    const passed = new Map(ids.map((id, n) => [id, passesIn(states[n]!.history, runIds)]));
    return testsOf.map((tests) => shown.map((_, n) => tests.some((id) => passed.get(id)![n] === true)));
  }

  async function outcomesIn(line: Line, sought: readonly Sought[]): Promise<GroupOutcome[][]> {
    const shown = await newestRuns(line);
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
      const { run_id, branch, listed_in: sighting } = failure;
      const [run] = run_id === null ? [] : await runs.some(runDocuments, team, [run_id]);
      const line = run === undefined ? { project_id, branch, tool: null } : lineOf(run);
      const [outcomes] = await outcomesIn(line, [{ group, sighting }]);
      return outcomes!;
    },

    async ofRun({ team, run: id }, groups) {
      const run = await runs.get(runDocuments, team, id);
      return outcomesIn(
        lineOf(run),
        groups.map((group) => ({ group, sighting: sightingId(id, group) })),
      );
    },
  };
}

function lineOf(run: RunDocument): Line {
  return { project_id: run.project_id, branch: run.branch, tool: toolOf(run) };
}

function toolOf({ metadata }: RunDocument): string | null {
  return understoodRun(metadata).tool;
}
