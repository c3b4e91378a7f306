/** Reads the facts of a summary: a bounded number of pages, however many results the run has. */
import type { Client } from '../../client/index.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import { answered } from '../gate/answered.js';
import type { AwaitedRun } from '../gate/await-run.js';
import type { GroupFacts, Result, RunFacts } from './facts.js';

export type Amounts = {
  groups: number;
  /** Names for each group of several tests. */
  names: number;
  /** Results of each other kind. */
  results: number;
};

/** About as much as fits into the longest summary. */
export const summaryAmounts: Amounts = { groups: 60, names: 20, results: 30 };
/** For a line each on a terminal. */
export const gateAmounts: Amounts = { groups: 20, names: 3, results: 10 };

const AT_ONCE = 4;

export type FactsOfRun = RunFacts & Pick<AwaitedRun, 'run'>;

type Page<T> = { data: T[]; pagination: { total: number } };

/** Reads the body of an answer. */
type Read = <T>(answering: Parameters<typeof answered>[0]) => Promise<T>;

/** The facts are current if the run is, and each answer that is read here. @throws TestledgerError */
export async function readFacts(
  client: Client,
  server: string,
  { run, comparison, isCurrent }: AwaitedRun,
  amounts: Amounts,
): Promise<FactsOfRun> {
  let isAnyStale = !isCurrent;
  const read: Read = async <T>(answering: Parameters<typeof answered>[0]) => {
    const { body, isStale } = await answered<T>(answering);
    isAnyStale ||= isStale;
    return body;
  };
  const path = { id: run.id };
  const per_page = amounts.results;
  const kind = async (name: 'new_failures' | 'flaky' | 'known'): Promise<Result[]> => {
    if (comparison.counts[name] === 0) return [];
    const params = { path: { ...path, kind: name }, query: { per_page } };
    return (await read<Page<Result>>(client.GET('/v1/test-runs/{id}/comparison/{kind}', { params }))).data;
  };
  const project = await read<{ data: RunFacts['project'] }>(
    client.GET('/v1/projects/{id}', { params: { path: { id: run.project_id } } }),
  );
  const groups = await read<Page<Omit<GroupFacts, 'names'>>>(
    client.GET('/v1/test-runs/{id}/failures', {
      params: { path, query: { per_page: amounts.groups } },
    }),
  );
  const facts = {
    server,
    project: project.data,
    run,
    comparison,
    groups: await withNames({ client, read }, run.id, groups.data, amounts.names),
    groupsTotal: groups.pagination.total,
    newFailures: await kind('new_failures'),
    flaky: await kind('flaky'),
    known: await kind('known'),
  };
  // The last of all: each read above may find an answer that is behind.
  return { ...facts, isCurrent: !isAnyStale };
}

/** The example names the only test of a group. */
async function withNames(
  { client, read }: { client: Client; read: Read },
  run: string,
  groups: readonly Omit<GroupFacts, 'names'>[],
  most: number,
): Promise<GroupFacts[]> {
  const named: GroupFacts[] = groups.map((group) => ({
    ...group,
    names: group.example ? [group.example.name] : [],
  }));
  await forEachConcurrent([...named.entries()], AT_ONCE, async ([n, group]) => {
    if (group.tests <= 1) return;
    // A test may have several results in it.
    const params = { path: { id: run, group: group.group }, query: { per_page: Math.min(3 * most, 100) } };
    const page = await read<Page<Result>>(client.GET('/v1/test-runs/{id}/failures/{group}', { params }));
    named[n] = { ...group, names: [...new Set(page.data.map(({ name }) => name))].slice(0, most) };
  });
  return named;
}
