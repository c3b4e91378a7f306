/** How a project stands, from few reads: a page shows it for many projects. */
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import type { components } from '../client/api.generated.js';
import type { Instant } from '../domain/event.js';
import { ranAt } from '../domain/instant.js';
import { findCounted } from './find-page.js';
import type { TeamViews } from './team-views.js';
import type { TestQueries } from './tests/test-queries.js';

type ProjectOverview = components['schemas']['ProjectOverview'];

const RUNS = 20;
/** The pace is that of so many of the newest runs. */
const PACE_OF = 100;
const DAY = 86_400_000;
const newestFirst = { field: 'created_position', direction: 'descending' } as const;

/** A project whose default branch has no completed run shows those of all branches. */
export async function projectOverview(
  { views, tests }: { views: TeamViews; tests: TestQueries },
  { project_id, default_branch }: { project_id: string; default_branch: string },
  now: number,
): Promise<ProjectOverview> {
  const completed = async (branch: string | null) => {
    const where = { project_id, ...(branch !== null && { branch }), status: 'Completed' };
    return (await views.find(runDocuments, { where, sort: newestFirst, limit: RUNS })).items;
  };
  const all = findCounted(views, runDocuments);
  const nth = (offset: number) => all({ where: { project_id }, sort: newestFirst, offset, limit: 1 });
  const [onDefault, newest, troubled] = await Promise.all([
    completed(default_branch),
    nth(0),
    tests.countTroubled(project_id),
  ]);
  const counted = Math.min(newest.total, PACE_OF);
  const [last] = newest.items;
  const [ofAll, oldest] = await Promise.all([
    onDefault.length === 0 ? completed(null) : null,
    counted === 0 ? null : nth(counted - 1),
  ]);
  return {
    project_id,
    branch: ofAll === null ? default_branch : null,
    runs: (ofAll ?? onDefault).map(({ test_run_id: id, outcome, created_at, standing }) => {
      return {
        id,
        outcome,
        created_at,
        passed: standing.passed + standing.known_fail,
        failed: standing.failed,
      };
    }),
    run_count: newest.total,
    last_run_at: last === undefined ? null : ranAt(last),
    runs_a_day: pace(counted, startOf(oldest?.items[0]), now),
    tests: troubled,
  };
}

/** A run may be recorded long after it took place, as those of an import. */
function startOf(run: RunDocument | undefined): Instant | null {
  return run?.started_at ?? run?.created_at ?? null;
}

/** Fewer runs than are counted for the pace are all that there are: they are those of a day at least. */
function pace(runs: number, since: Instant | null, now: number): number {
  if (since === null) return 0;
  const days = (now - Date.parse(since)) / DAY;
  return Math.round((runs / Math.max(days, runs === PACE_OF ? 1 / 24 : 1)) * 10) / 10;
}
