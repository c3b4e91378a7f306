/** Two branches side by side: the newest build of one, each of its runs against the newest run of the other with the same tool and environment. */
import type { ComparisonKind } from '../../../domain/comparison/compare.js';
import { branchStateOf, buildsOf, legOf, type BranchState } from '../../../domain/runs/branch-state.js';
import { newestStarts } from '../../../domain/runs/newest-starts.js';
import { orNull } from '../../or-null.js';
import type { PageApi } from '../../page-api.js';
import { missingShards } from '../../text/verdict.js';
import type { Compared, Result, Run } from '../run/read-run.js';

/** A run of the newest build, and what it is compared with. Both are null where the other branch never ran it. */
export type Pair = { run: Run; other: Run | null; comparison: Compared | null };

const listedKinds = [
  'new_failures',
  'still_failing',
  'fixed',
  'removed',
  'slower',
] as const satisfies readonly ComparisonKind[];
export type ListedKind = (typeof listedKinds)[number];

export type Row = { result: Result; pair: Pair };

export type Branches = {
  state: BranchState;
  /** The newest build of the branch, those that fail first: up to 12. */
  pairs: readonly Pair[];
  /** Runs of the newest build that are not compared. */
  left: number;
  /** Of the newest build of the other branch: what the newest build of the branch does not have. */
  missing: readonly Run[];
  totals: Readonly<Record<ComparisonKind, number>>;
  /** In milliseconds; null unless both are known of each pair. */
  durations: { here: number; there: number } | null;
  rows: Readonly<Record<ListedKind, readonly Row[]>>;
};

const RUNS = 100;
const PAIRS = 12;
const ROWS = 15;

/** Whether all of it is there: what has not come yet is not removed. */
export function isWhole({ run: { status, shards } }: Pick<Pair, 'run'>): boolean {
  return status === 'completed' && (shards === null || missingShards(shards) === null);
}

/** Null where one of the branches has no run. */
export async function readBranches(
  api: Pick<PageApi, 'get'>,
  project_id: string,
  { branch, other }: { branch: string; other: string },
): Promise<Branches | null> {
  const runsOf = async (of: string) =>
    api.get('/v1/test-runs', { query: { project_id, branch: of, per_page: RUNS } });
  const [own, theirs] = await Promise.all([runsOf(branch), runsOf(other)]);
  if (own.data.length === 0 || theirs.data.length === 0) return null;
  const newest = newestBuild(own.data);
  const pairs = await Promise.all(
    newest.slice(0, PAIRS).map(async (run): Promise<Pair> => {
      const against = counterpart(run, theirs.data);
      const found =
        against === null
          ? null
          : await orNull(
              api.get('/v1/test-runs/{id}/comparison', {
                params: { id: run.id },
                query: { baseline: against.id },
              }),
            );
      return found === null
        ? { run, other: null, comparison: null }
        : { run, other: against, comparison: found.data };
    }),
  );
  const legs = new Set(newest.map(legOf));
  const rows = await Promise.all(
    listedKinds.map(async (kind) => [kind, await rowsOf(api, pairs, kind)] as const),
  );
  return {
    state: branchStateOf(own.data, own.pagination.total_pages <= 1),
    pairs: pairs.toSorted((one, another) => failuresIn(another) - failuresIn(one)),
    left: newest.length - pairs.length,
    missing: newestBuild(theirs.data)
      .filter((run) => !legs.has(legOf(run)))
      .slice(0, PAIRS),
    totals: totalsOf(pairs),
    durations: durationsOf(pairs),
    rows: Object.fromEntries(rows) as Record<ListedKind, Row[]>,
  };
}

function newestBuild(runs: readonly Run[]): Run[] {
  return newestStarts((buildsOf(runs)[0] ?? []) as Run[]);
}

/** A completed run where there is one: that of a build which is going has not met all of its tests. */
function counterpart(run: Run, theirs: readonly Run[]): Run | null {
  const leg = legOf(run);
  const same = theirs.filter((each) => legOf(each) === leg);
  return same.find(({ status }) => status === 'completed') ?? same[0] ?? null;
}

async function rowsOf(api: Pick<PageApi, 'get'>, pairs: readonly Pair[], kind: ListedKind): Promise<Row[]> {
  const rows: Row[] = [];
  for (const pair of pairs) {
    if (kind === 'removed' && !isWhole(pair)) continue;
    const { run, other, comparison } = pair;
    if (other === null || comparison === null || comparison.counts[kind] === 0) continue;
    if (rows.length === ROWS) break;
    const query = { baseline: other.id, per_page: ROWS - rows.length };
    const path = '/v1/test-runs/{id}/comparison/{kind}';
    const { data } = await api.get(path, { params: { id: run.id, kind }, query });
    rows.push(...data.slice(0, ROWS - rows.length).map((result) => ({ result, pair })));
  }
  return rows;
}

function totalsOf(pairs: readonly Pair[]): Branches['totals'] {
  const totals = {} as Record<string, number>;
  for (const { run, comparison } of pairs)
    for (const [kind, count] of Object.entries(comparison?.counts ?? {}))
      if (kind !== 'removed' || isWhole({ run })) totals[kind] = (totals[kind] ?? 0) + count;
  return totals as Branches['totals'];
}

function durationsOf(pairs: readonly Pair[]): Branches['durations'] {
  const both = pairs.flatMap(({ run, other }) =>
    run.duration_ms == null || other?.duration_ms == null
      ? []
      : { here: run.duration_ms, there: other.duration_ms },
  );
  // A sum of some of them would look like that of all.
  if (both.length === 0 || both.length < pairs.length) return null;
  return both.reduce((sum, { here, there }) => ({ here: sum.here + here, there: sum.there + there }));
}

function failuresIn({ run, comparison }: Pair): number {
  return (comparison?.counts.new_failures ?? 0) * 1_000_000 + run.standing_counts.failed;
}
