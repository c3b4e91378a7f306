/** The projects that ran of late, for what looks over all projects: its cost must not follow how many there are. */
import { runDocuments } from '../../projections/records/run-documents.js';
import { addDays } from '../clock.js';
import type { Reader } from '../domain/teams/access.js';
import type { Instant } from '../domain/event.js';
import { findProjects } from './projects.js';
import type { TeamViews } from './team-views.js';

export type RecentProject = { project_id: string; project: string; default_branch: string };

/** Projects of which the newest run is read. */
const LISTED = 500;

/** Of the active ones those with a run within so many days, the last one first. `total`: of all that are active. */
export async function recentProjects(
  views: TeamViews,
  reader: Reader,
  { now, days, most }: { now: Instant; days: number; most: number },
): Promise<{ projects: RecentProject[]; total: number }> {
  const { items, total = items.length } = await findProjects(views, reader, {
    status: 'Active',
    limit: LISTED,
  });
  const since = addDays(now, -days);
  const newest = await Promise.all(
    items.map(async ({ project_id }) => {
      const sort = { field: 'created_position', direction: 'descending' } as const;
      return (await views.find(runDocuments, { where: { project_id }, sort, limit: 1 })).items[0];
    }),
  );
  const recent = items.flatMap(({ project_id, name: project, default_branch }, n) => {
    const run = newest[n];
    if (run === undefined || run.updated_at < since) return [];
    return [{ project_id, project, default_branch, position: run.created_position }];
  });
  recent.sort((one, other) => (one.position < other.position ? 1 : -1));
  const projects = recent.slice(0, most).map(({ position: _, ...project }) => project);
  return { projects, total };
}
