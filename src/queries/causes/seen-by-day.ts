/** On which days a cause was seen, from the newest runs in which it was. */
import { sightingDocuments } from '../../../projections/history/failure-counts.js';
import type { TypedViews } from '../../projecting/typed-views.js';

/** `day`: in UTC, `2026-11-21`. */
export type Day = { day: string; runs: number; results: number };

/** Days before the newest one, which is counted too. */
const DAYS = 30;
const DAY_MS = 86_400_000;
/** Runs that are read. A day of which not all are among them is left out. */
const RUNS = 1_000;

/** Oldest first, without days on which it was not seen. `scope`: the id of the group in the project. */
export async function seenByDay(views: Pick<TypedViews, 'find'>, scope: string): Promise<Day[]> {
  const { items } = await views.find(sightingDocuments, {
    where: { scope },
    sort: { field: 'opened', direction: 'descending' },
    limit: RUNS,
  });
  const days = new Map<string, Day>();
  for (const { at, results } of items) {
    const day = at.slice(0, 10);
    const { runs = 0, results: before = 0 } = days.get(day) ?? {};
    days.set(day, { day, runs: runs + 1, results: before + results });
  }
  const sorted = [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
  const newest = sorted.at(-1)?.day;
  if (newest === undefined) return [];
  const first = new Date(Date.parse(newest) - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const left = items.length < RUNS || sorted.length < 2 ? sorted : sorted.slice(1);
  return left.filter(({ day }) => day >= first);
}
