/** Reads from the server which causes fail on the default branch, and which are gone: a bounded number of answers each. */
import { setTimeout as pause } from 'node:timers/promises';
import { TestledgerError, type Client, type components } from '../../../client/index.js';
import { forEachConcurrent } from '../../../concurrency/for-each-concurrent.js';
import { testIdOf } from '../../../domain/test-history/test.js';
import { missingShardsText } from '../../../domain/text/gate.js';
import { failWith } from '../../errors.js';
import { answered } from '../../gate/answered.js';
import type { Cause } from './causes.js';
import type { Causes } from './sync.js';

type Run = components['schemas']['TestRun'];
type Group = components['schemas']['RunFailureGroup'];
type Page<T> = { data: T[]; pagination: { total_pages: number } };

const PER_PAGE = 100;
/** In the newest 300 completed runs of the branch: a tool or an environment without a run there is out of use. */
const PAGES_OF_RUNS = 3;
const PAGES_OF_GROUPS = 10;
/** Of a cause: the last runs of the branch in which it was seen, and tests that failed with it there. */
const MOST_RUNS_SEEN = 10;
const MOST_RUNS_LOOKED_AT = 40;
const MOST_TESTS = 100;
const AT_ONCE = 4;

/** Each answer waits for up to 2 s in the server. */
const MOST_TRIES = 12;
const PAUSE_MS = 250;

type Project = { id: string; default_branch: string };

/** The newest complete run of a tool and environment, with the groups that fail in it. */
type Line = { run: Run; groups: ReadonlyMap<string, Group>; isWhole: boolean };

/** A test that failed with a cause, and where. */
type Failed = { line: Line; name: string; environment: string };

/** Each function @throws TestledgerError, CliError `server_failed` where the answers are behind. */
export function causesOf(client: Client, project: Project): Causes {
  let read: Promise<Map<string, Line>> | null = null;
  const lines = () => (read ??= readLines(client, project));
  const branches = new Map<string, Promise<{ line: string; branch: string | null }>>();

  return {
    failing: async () => joined([...(await lines()).values()]),
    async isGone(group) {
      const known = await lines();
      for (const line of known.values()) if (await failsIn(client, line, group)) return false;
      const seen = await runsSeen(group);
      if (seen === null) return false;
      const failed = new Map<string, Failed>();
      for (const { id, line: key } of seen) {
        const line = known.get(key);
        if (line === undefined) continue;
        for (const { name, environment_key: environment } of await resultsOf(client, id, group))
          if (failed.size < MOST_TESTS)
            failed.set(`${key}\n${environment}\n${name}`, { line, name, environment });
      }
      let isGone = true;
      await forEachConcurrent([...failed.values()], AT_ONCE, async (test) => {
        isGone &&= await hasRun(client, project, test);
      });
      return isGone;
    },
  };

  /** The last runs of the default branch in which it was seen; null where they are not among those that are looked at. */
  async function runsSeen(group: string): Promise<{ id: string; line: string }[] | null> {
    const page = await unlessUnknown(
      fresh<{ runs: { run_id: string | null }[]; pagination: { total_pages: number } }>(() =>
        client.GET('/v1/projects/{id}/failures/{group}', {
          params: { path: { id: project.id, group }, query: { per_page: MOST_RUNS_LOOKED_AT } },
        }),
      ),
    );
    // No failing result of it is left.
    if (page === null) return [];
    const seen: { id: string; line: string }[] = [];
    for (const { run_id: id } of page.runs) {
      if (id === null || seen.length === MOST_RUNS_SEEN) continue;
      if (!branches.has(id)) branches.set(id, lineOf(id));
      const { line, branch } = await branches.get(id)!;
      if (branch === project.default_branch) seen.push({ id, line });
    }
    return seen.length === 0 && page.pagination.total_pages > 1 ? null : seen;
  }

  async function lineOf(id: string) {
    const call = () => client.GET('/v1/test-runs/{id}', { params: { path: { id } } });
    const run = (await unlessUnknown(fresh<{ data: Run }>(call)))?.data;
    return { line: run === undefined ? '' : keyOf(run), branch: run?.branch ?? null };
  }
}

function keyOf({ tool, environment_key: environment }: Pick<Run, 'tool' | 'environment_key'>): string {
  return `${tool ?? ''}\n${environment}`;
}

async function readLines(client: Client, project: Project): Promise<Map<string, Line>> {
  const newest = new Map<string, Run>();
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_OF_RUNS); page += 1) {
    const query = {
      project_id: project.id,
      branch: project.default_branch,
      status: 'completed',
      page,
      per_page: PER_PAGE,
    } as const;
    const { data, pagination } = await fresh<Page<Run>>(() =>
      client.GET('/v1/test-runs', { params: { query } }),
    );
    for (const run of data) if (isComplete(run) && !newest.has(keyOf(run))) newest.set(keyOf(run), run);
    pages = pagination.total_pages;
  }
  const lines = new Map<string, Line>();
  await forEachConcurrent([...newest], AT_ONCE, async ([key, run]) => {
    lines.set(key, await lineAt(client, run));
  });
  return lines;
}

/** Of a run without a shard, or with a report that was cut, nobody knows what else failed. */
function isComplete({ shards, report }: Run): boolean {
  return missingShardsText({ shards }) === '' && !report.partial;
}

async function lineAt(client: Client, run: Run): Promise<Line> {
  const groups = new Map<string, Group>();
  let pages = 1;
  for (let page = 1; page <= Math.min(pages, PAGES_OF_GROUPS); page += 1) {
    const query = { details: 'true', page, per_page: PER_PAGE } as const;
    const answer = await fresh<Page<Group>>(() =>
      client.GET('/v1/test-runs/{id}/failures', { params: { path: { id: run.id }, query } }),
    );
    for (const group of answer.data) groups.set(group.group, group);
    pages = answer.pagination.total_pages;
  }
  return { run, groups, isWhole: pages <= PAGES_OF_GROUPS };
}

/** One cause for each group, over all tools and environments. */
function joined(lines: readonly Line[]): Cause[] {
  // The newest run first: the cause tells of it.
  const sorted = lines.toSorted((a, b) => (a.run.created_at < b.run.created_at ? 1 : -1));
  const causes = new Map<string, Cause>();
  for (const { run, groups } of sorted) {
    const where = [run.tool ?? '', run.environment_key].filter((part) => part !== '').join(', ');
    for (const group of groups.values()) {
      const before = causes.get(group.group);
      const names = namesOf(group);
      causes.set(
        group.group,
        before === undefined
          ? {
              group: group.group,
              title: group.title,
              results: group.results,
              tests: group.tests,
              lines: [where || 'all runs'],
              lastSeen: { run: run.id, commit: run.commit, at: run.created_at },
              firstSeen: group.first_seen,
              example: group.example,
              names,
            }
          : {
              ...before,
              results: before.results + group.results,
              // A test may fail in several of them.
              tests: Math.max(before.tests, group.tests),
              lines: [...before.lines, where || 'all runs'],
              names: [...new Set([...before.names, ...names])],
            },
      );
    }
  }
  return [...causes.values()].toSorted((a, b) => b.results - a.results || (a.group < b.group ? -1 : 1));
}

function namesOf({ example, first_results: first = [] }: Group): string[] {
  return [...new Set([...(example === null ? [] : [example.name]), ...first.map(({ name }) => name)])];
}

async function failsIn(client: Client, { run, groups, isWhole }: Line, group: string): Promise<boolean> {
  if (groups.has(group)) return true;
  return !isWhole && (await resultsOf(client, run.id, group)).length > 0;
}

async function resultsOf(client: Client, id: string, group: string) {
  const params = { path: { id, group }, query: { per_page: PER_PAGE } };
  const call = () => client.GET('/v1/test-runs/{id}/failures/{group}', { params });
  return (await unlessUnknown(fresh<Page<components['schemas']['TestResult']>>(call)))?.data ?? [];
}

async function hasRun(client: Client, { id, default_branch }: Project, test: Failed): Promise<boolean> {
  const { line, name, environment } = test;
  const query = {
    branch: default_branch,
    per_page: PER_PAGE,
    ...(environment !== '' && { environment }),
  };
  const path = { id, test: testIdOf(id, name.toWellFormed()) };
  const page = await unlessUnknown(
    fresh<Page<components['schemas']['TestOutcome']>>(() =>
      client.GET('/v1/projects/{id}/tests/{test}/outcomes', { params: { path, query } }),
    ),
  );
  return (page?.data ?? []).some(
    ({ test_run_id: run, status, environment_key: key }) =>
      run === line.run.id && key === environment && status !== 'skipped',
  );
}

/** An answer that is behind would close or open an issue by what is not true any more: it is asked for again. */
async function fresh<T>(ask: () => Parameters<typeof answered>[0]): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const { body, isStale } = await answered<T>(ask());
    if (!isStale) return body;
    if (tries === MOST_TRIES)
      failWith('server_failed', 'the server is behind: it has not counted all results yet');
    await pause(PAUSE_MS);
  }
}

async function unlessUnknown<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TestledgerError && error.status === 404) return null;
    throw error;
  }
}
