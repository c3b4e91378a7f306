/** Surface B: what is counted of the runs of a project, and of all projects of the team. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { daysBetween, laterDay } from '../../domain/statistics/days.js';
import { invalid } from '../../errors.js';
import { limits } from '../../limits.js';
import { findProjects } from '../../queries/projects.js';
import { openStatistics, type StatisticsFilter, type Window } from '../../queries/statistics/statistics.js';
import { ok, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { branchOf, environmentOf } from '../surface-b/pages.js';

const DEFAULT_DAYS = 30;
const PROJECTS = 500;

export function statisticsRoutes({ views, historyViews }: Sources): Route[] {
  const statistics = openStatistics(historyViews);
  return [
    {
      method: 'GET',
      path: '/projects/:id/stats',
      operation: {
        id: 'getProjectStatistics',
        summary: 'Counts the completed runs of a project by day or week',
        answers: { 200: { data: 'ProjectStatistics' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'StatisticsQuery',
      async handle(call) {
        const window = windowOf(call);
        const filter = statisticsFilterOf(call);
        await call.waitFor('records', 'history');
        const { project_id } = await views.get(projectDocuments, call.key, call.params['id']!);
        const { projects: _, ...data } = await statistics.of([project_id], window, {
          by: stepOf(call),
          filter,
        });
        return ok({ data });
      },
    },
    {
      method: 'GET',
      path: '/stats',
      operation: {
        id: 'getStatistics',
        summary: 'Counts the completed runs of all projects by day or week',
        answers: { 200: { data: 'Statistics' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'StatisticsQuery',
      async handle(call) {
        const window = windowOf(call);
        const filter = statisticsFilterOf(call);
        await call.waitFor('records', 'history');
        const projects = await projectsOf(call);
        return ok({ data: await statistics.of(projects, window, { by: stepOf(call), filter }) });
      },
    },
  ];

  /** All that exist for the key, in the order of their creation. */
  async function projectsOf({ key }: Call): Promise<string[]> {
    const ids: string[] = [];
    for (let next: Awaited<ReturnType<typeof findProjects>>['next'] | undefined; next !== null;) {
      const found = await findProjects(views, key, { limit: PROJECTS, ...(next && { after: next }) });
      ids.push(...found.items.map(({ project_id }) => project_id));
      next = found.next;
    }
    return ids;
  }
}

function stepOf({ query }: Pick<Call, 'query'>): 'day' | 'week' {
  return query['by'] === 'week' ? 'week' : 'day';
}

/** The days of a query, by default the last 30. @throws AppError `validation_failed` */
export function windowOf({ query, context }: Pick<Call, 'query' | 'context'>): Window {
  const { from: first, to: last } = query as Partial<Window>;
  const to = last ?? context.at.slice(0, 10);
  const from = first ?? laterDay(to, 1 - DEFAULT_DAYS);
  if (from > to) invalid('?from', 'not_valid', 'must not be after to');
  if (daysBetween(from, to) > limits.statisticsDays)
    invalid('?from', 'not_valid', `must be at most ${limits.statisticsDays} days before to`);
  return { from, to };
}

/** @throws AppError `validation_failed` */
export function statisticsFilterOf(call: Pick<Call, 'query'>): StatisticsFilter {
  const { branch_class, tool } = call.query as Pick<StatisticsFilter, 'branch_class' | 'tool'>;
  const branch = branchOf(call);
  if (branch !== undefined && branch_class !== undefined)
    invalid('?branch_class', 'not_valid', 'cannot be combined with branch');
  return { branch, branch_class, environment: environmentOf(call), tool };
}
