/** What the page of a run shows, in a bounded number of calls whatever the size of the run. */
import type { ComparisonKind } from '../../../domain/comparison/compare.js';
import type { components } from '../../../client/api.generated.js';
import type { PageApi } from '../../page-api.js';
import { orNull } from '../../or-null.js';
import { shortCommit, visible } from '../../text/short.js';

export type Run = components['schemas']['TestRun'];
export type Result = components['schemas']['TestResult'];
export type Project = components['schemas']['Project'];
export type Group = components['schemas']['RunFailureGroup'];
export type Compared = components['schemas']['Comparison'];

/** What the live parts show. */
export type RunFacts = {
  run: Run;
  project: Project;
  comparison: Compared;
  /** The run that it is compared with; null for none, and for one that the reader does not see. */
  baseline: Run | null;
};

/** Results that are listed on the page of the run, and links lead to the rest. */
const listedKinds = {
  flaky: 15,
  known: 10,
  fixed: 10,
  slower: 10,
  removed: 10,
  added: 10,
} as const satisfies Partial<Record<ComparisonKind, number>>;
export type ListedKind = keyof typeof listedKinds;

export const GROUPS_SHOWN = 20;

export type RunLists = {
  /** New ones first, then those with more results. A group of one test is a single failure. */
  groups: Group[];
  groupsTotal: number;
  results: Record<ListedKind, Result[]>;
};

/** `baseline`: another run than the run's own baseline. @throws AppError `not_found` */
export async function readRun(
  api: Pick<PageApi, 'get'>,
  id: string,
  baseline: string | undefined,
): Promise<RunFacts> {
  const params = { id };
  const { data: run } = await api.get('/v1/test-runs/{id}', { params });
  const [{ data: project }, { data: comparison }] = await Promise.all([
    api.get('/v1/projects/{id}', { params: { id: run.project_id } }),
    api.get('/v1/test-runs/{id}/comparison', { params, query: { baseline } }),
  ]);
  const before = comparison.baseline;
  return {
    run,
    project,
    comparison,
    baseline:
      before === null
        ? null
        : ((await orNull(api.get('/v1/test-runs/{id}', { params: { id: before.id } })))?.data ?? null),
  };
}

export async function readLists(
  api: Pick<PageApi, 'get'>,
  { run, comparison }: RunFacts,
  baseline: string | undefined,
): Promise<RunLists> {
  const params = { id: run.id };
  const listed = async (kind: ListedKind): Promise<Result[]> => {
    if (comparison.counts[kind] === 0) return [];
    const query = { baseline, per_page: listedKinds[kind] };
    return (await api.get('/v1/test-runs/{id}/comparison/{kind}', { params: { ...params, kind }, query }))
      .data;
  };
  const kinds = Object.keys(listedKinds) as ListedKind[];
  const [groups, ...results] = await Promise.all([
    api.get('/v1/test-runs/{id}/failures', {
      params,
      query: { baseline, details: 'true', per_page: GROUPS_SHOWN },
    }),
    ...kinds.map(listed),
  ]);
  return {
    groups: groups.data,
    groupsTotal: groups.pagination.total,
    results: Object.fromEntries(kinds.map((kind, n) => [kind, results[n]!])) as Record<ListedKind, Result[]>,
  };
}

/** A run for people: its label, else what it was run on. */
export function nameOf({ label, run_key, branch, commit, id }: Run): string {
  if (label !== null && label !== '') return visible(label);
  if (run_key !== null) return visible(run_key);
  const at = commit === null ? null : shortCommit(commit);
  const parts = [branch, at].filter((part) => part !== null);
  return parts.length > 0 ? visible(parts.join(' @ ')) : `Run ${id.slice(-6)}`;
}
