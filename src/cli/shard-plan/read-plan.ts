/** Reads a shard plan from the server: how long each test took in the newest runs, and which failures are known. */
import { unwrap, type Client, type components } from '../../client/index.js';
import type { ShardPlanFile } from '../../client/shard-plan.js';
import { NAME_SEPARATOR } from '../../test-name.js';
import { wholeList } from '../api.js';
import type { Progress } from '../progress.js';

export type PlanWanted = {
  project: string;
  /** The branch that is tested; null where it is not known. */
  branch: string | null;
  /** The most runs that the durations come from. */
  runs: number;
  /** Only runs of this tool; undefined for any. */
  tool: string | undefined;
};

/** Runs that are looked through for those of a tool. */
const RUNS_LOOKED_AT = 100;

/** Of the results of one run: 500,000. The tests after them count as unknown. */
const MOST_PAGES = 5_000;

/** A project without runs has a plan without durations: all of its tests are taken to be equally long. */
export async function readPlan(
  client: Client,
  { project, branch, runs, tool }: PlanWanted,
  progress: Progress,
): Promise<ShardPlanFile> {
  const found = (await newestRuns(client, project))
    .filter((run) => tool === undefined || run.tool === tool)
    .slice(0, runs);
  const durations = new Map<string, number[]>();
  const suites = new Map<string, number[]>();
  let [read, total] = [0, found.reduce((sum, { test_count }) => sum + test_count, 0)];
  for (const run of found) {
    const ofRun = await durationsOf(client, run.id, (results) => {
      read += results;
      progress.at(read, Math.max(read, total), `${read} of ${total} results`);
    });
    for (const [name, ms] of ofRun.tests) durations.set(name, [...(durations.get(name) ?? []), ms]);
    for (const [name, ms] of ofRun.suites) suites.set(name, [...(suites.get(name) ?? []), ms]);
  }
  return {
    version: 1,
    project_id: project,
    run_ids: found.map(({ id }) => id),
    durations: medians(durations),
    suites: medians(suites),
    known_failures: (await knownFailures(client, project, branch)).sort(byName),
  };
}

async function newestRuns(client: Client, project_id: string): Promise<components['schemas']['TestRun'][]> {
  const project = await unwrap(client.GET('/v1/projects/{id}', { params: { path: { id: project_id } } }));
  const query = {
    project_id,
    branch: project.data.default_branch,
    status: 'completed' as const,
    per_page: RUNS_LOOKED_AT,
  };
  return (await unwrap(client.GET('/v1/test-runs', { params: { query } }))).data;
}

/** By the names of tests and of suites: all attempts together, because a shard runs each of them. */
async function durationsOf(
  client: Client,
  run: string,
  onRead: (results: number) => void,
): Promise<{ tests: Map<string, number>; suites: Map<string, number> }> {
  const tests = new Map<string, number>();
  const suites = new Map<string, number>();
  for (let page = 1, pages = 1; page <= Math.min(pages, MOST_PAGES); page += 1) {
    const params = { path: { id: run }, query: { page, per_page: 100 } };
    const { data, pagination } = await unwrap(client.GET('/v1/test-runs/{id}/results', { params }));
    // A test that was skipped would count as one that takes no time.
    for (const { name, status, duration_ms, file, suite } of data) {
      if (duration_ms === null || status === 'skipped') continue;
      tests.set(name, (tests.get(name) ?? 0) + duration_ms);
      // Of a report without files, the first part of a name is the package or the class.
      for (const key of new Set([file, suite, name.split(NAME_SEPARATOR, 1)[0]]))
        if (key) suites.set(key, (suites.get(key) ?? 0) + duration_ms);
    }
    onRead(data.length);
    pages = pagination.total_pages;
  }
  return { tests, suites };
}

/** Without those of one environment: the test would be skipped in all others, where it may be the only one that fails. */
async function knownFailures(
  client: Client,
  project: string,
  branch: string | null,
): Promise<(readonly [string, string])[]> {
  const tests = await wholeList((page) => {
    const params = { path: { id: project }, query: { ...page, known_failure: 'true' as const } };
    return unwrap(client.GET('/v1/projects/{id}/tests', { params }));
  });
  return tests.flatMap(({ name, known_failure: known }) =>
    known && known.environment_key === null && (known.branch === null || known.branch === branch)
      ? [[name, known.reason] as const]
      : [],
  );
}

function medians(durations: ReadonlyMap<string, readonly number[]>): (readonly [string, number])[] {
  return [...durations].map(([name, all]) => [name, median(all)] as const).sort(byName);
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) / 2)]!;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
