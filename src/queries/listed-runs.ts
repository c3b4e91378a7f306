/** Lists of runs leave out those whose place in lists has had its time, except pinned ones and those of the default branch. */
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import type { Position } from '../domain/event.js';
import { limits } from '../limits.js';
import type { Cursor, ViewQuery } from '../ports/views.js';
import type { FindCounted } from './find-page.js';
import type { TeamViews } from './team-views.js';

/** `until`: the position of the last run that is old. */
export type OldRuns = { until: Position; defaultBranch: string };

export function staysListed({ until, defaultBranch }: OldRuns): (run: RunDocument) => boolean {
  return ({ created_position, pinned, branch }) =>
    created_position > until || pinned === true || branch === defaultBranch;
}

/** Two lists as one: in a list with the newest first, `young` comes before `old`. */
export function joinedLists<T>(young: FindCounted<T>, old: FindCounted<T>): FindCounted<T> {
  return async (query) => {
    const { offset, limit, sort } = query;
    const [first, second] = sort.direction === 'descending' ? [young, old] : [old, young];
    const one = await first(query);
    const rest = limit - one.items.length;
    const other = await second({
      ...query,
      offset: Math.max(0, offset - one.total),
      limit: Math.max(1, rest),
    });
    return { items: [...one.items, ...other.items.slice(0, rest)], total: one.total + other.total };
  };
}

const PAGE = 100;

/** One page of a list with the newest first. It looks through old runs for a limited number. */
export async function listedRuns(
  views: TeamViews,
  where: ViewQuery['where'],
  old: OldRuns | null,
  { limit, after }: { limit: number; after: Cursor | undefined },
): Promise<{ items: RunDocument[]; next: Cursor | null }> {
  const sort = { field: 'created_position', direction: 'descending' } as const;
  const from = (start: Cursor | undefined, most: number) =>
    views.find(runDocuments, { where, sort, limit: most, ...(start && { after: start }) });
  if (old === null) return from(after, limit);
  const stays = staysListed(old);
  const items: RunDocument[] = [];
  let next: Cursor | null | undefined = after;
  for (let looked = 0; looked < limits.runsLookedThrough && next !== null; looked += PAGE) {
    const page = await from(next, PAGE);
    for (const run of page.items.filter(stays)) {
      if (items.length === limit) return { items, next: cursorOf(items.at(-1)!) };
      items.push(run);
    }
    next = page.next;
  }
  return { items, next: next ?? null };
}

function cursorOf({ created_position: value, test_run_id: id }: RunDocument): Cursor {
  return { value, id };
}
