/** The statistics of projects, from the history: totals of a window of days, of the window before it, and of each day or week. */
import { history } from '../../../projections/history/history.js';
import { statisticsWeekDocuments, weekId } from '../../../projections/statistics/statistics-documents.js';
import type { components } from '../../client/api.generated.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import type { DayRow } from '../../domain/statistics/day-rows.js';
import {
  daysBetween,
  daysFrom,
  laterDay,
  weekOf,
  weeksFrom,
  type Day,
} from '../../domain/statistics/days.js';
import { openSum, type Sum, type Totals } from '../../domain/statistics/totals.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { inParts } from './in-parts.js';

/** Both days included. */
export type Window = { from: Day; to: Day };

export type StatisticsFilter = {
  branch?: string | undefined;
  /** Of the default branch of then, or of all others. */
  branch_class?: 'default' | 'others' | undefined;
  environment?: EnvironmentKey | undefined;
  tool?: string | undefined;
};

type Statistics = components['schemas']['ProjectStatistics'];

export type StatisticsQueries = {
  /** `projects`: the totals of each, in the order in which they were asked for. */
  of(
    projects: readonly string[],
    window: Window,
    options: { by: 'day' | 'week'; filter: StatisticsFilter },
  ): Promise<Statistics & { projects: ({ project_id: string } & Totals)[] }>;
  /** The totals of a window by the key of the environment of the runs. */
  byEnvironment(project: string, window: Window): Promise<Map<EnvironmentKey, Totals>>;
};

export function openStatistics(reader: ViewReader): StatisticsQueries {
  const views = typedViews(reader, history);

  return {
    async byEnvironment(project, { from, to }) {
      const ids = weeksFrom(from, to).map((week) => weekId(project, week, null));
      const sums = new Map<EnvironmentKey, Sum>();
      for (const found of await views.get(statisticsWeekDocuments, ids)) {
        for (const row of found?.rows ?? []) {
          if (row.day < from || row.day > to) continue;
          if (!sums.has(row.environment)) sums.set(row.environment, openSum());
          sums.get(row.environment)!.add(project, row);
        }
      }
      return new Map([...sums].map(([environment, sum]) => [environment, sum.totals()]));
    },

    async of(projects, { from, to }, { by, filter }) {
      const before = laterDay(from, -1 - daysBetween(from, to));
      const keyOf = by === 'day' ? (day: Day) => day : weekOf;
      const rows = new Map<Day, Sum>();
      for (const day of daysFrom(from, to)) if (!rows.has(keyOf(day))) rows.set(keyOf(day), openSum());
      const sums = new Map(projects.map((project) => [project, openSum()]));
      const [totals, previous] = [openSum(), openSum()];
      const weeks = projects.flatMap((project) => weeksFrom(before, to).map((week) => ({ project, week })));
      for await (const part of inParts(weeks)) {
        const { branch = null } = filter;
        const ids = part.map(({ project, week }) => weekId(project, week, branch));
        const found = await views.get(statisticsWeekDocuments, ids);
        for (const [n, { project }] of part.entries()) {
          for (const row of found[n]?.rows ?? []) {
            if (row.day < before || row.day > to || !isOf(filter, row)) continue;
            if (row.day < from) previous.add(project, row);
            else
              for (const sum of [totals, sums.get(project)!, rows.get(keyOf(row.day))!])
                sum.add(project, row);
          }
        }
      }
      return {
        from,
        to,
        totals: totals.totals(),
        previous: previous.totals(),
        rows: [...rows].map(([day, sum]) => ({ day, ...sum.totals() })),
        projects: [...sums].map(([project_id, sum]) => ({ project_id, ...sum.totals() })),
      };
    },
  };
}

function isOf({ branch_class, environment, tool }: StatisticsFilter, row: DayRow): boolean {
  if (branch_class !== undefined && row.is_default !== (branch_class === 'default')) return false;
  if (environment !== undefined && row.environment !== environment) return false;
  return tool === undefined || row.tool === tool;
}
