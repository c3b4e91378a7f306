/**
 * One page of the results of a run, in order of creation: those that were posted one by one, and those that came in
 * submissions, merged. No result that was posted lies between two of the same submission.
 */
import {
  resultDocuments,
  type ResultDocument,
  type RunDocument,
} from '../../../projections/records/run-documents.js';
import type { Position } from '../../domain/event.js';
import type { ResultStatus } from '../../domain/results/result.js';
import type { Cursor, ViewQuery } from '../../ports/views.js';
import type { Stored } from '../../projecting/typed-views.js';
import { findPage, NEAR, type PageQuery } from '../find-page.js';
import { resultIdAt } from '../../../projections/records/result-packs.js';
import { packedResults, type Packed } from './results-by-id.js';
import { countsBefore, nextPacked, type ListStart, type PackedList } from './results-of-packs.js';
import type { TeamViews } from '../team-views.js';

/** `after`: what the page before gave as `next`. `offset`: how many results come before the page. Not both. */
export type ResultsQuery = {
  status?: ResultStatus | undefined;
  after?: Cursor | undefined;
  offset?: number;
  limit: number;
};

type ResultsPage = { items: ResultDocument[]; next: Cursor | null };

/** `countAll`: counts all results of the run, at the moment of the call. */
export async function pageOfResults(
  views: TeamViews,
  run: RunDocument,
  query: ResultsQuery,
  countAll: () => Promise<number>,
): Promise<ResultsPage> {
  if (run.items > 0) return mergedPage(views, run, query);
  const { status, after, offset = 0, limit } = query;
  const find = postedResults(views, run, status);
  if (after !== undefined) return find({ limit, after });
  if (status !== undefined || offset <= NEAR) return find({ limit, offset });
  const findCounted = async (part: PageQuery) => {
    const { items } = await find(part);
    return { items, total: await countAll() };
  };
  const { items, total } = await findPage(findCounted, { where: {}, sort: oldestFirst, offset, limit });
  const last = items.at(-1);
  const isLast = last === undefined || offset + items.length >= total;
  return { items, next: isLast ? null : cursorOf(placeOf(last)) };
}

const oldestFirst = { field: 'created_position', direction: 'ascending' } as const;

type FindPosted = (
  part: Partial<Omit<ViewQuery, 'where'>> & { limit: number },
) => Promise<{ items: Stored<ResultDocument>[]; next: Cursor | null }>;

/** The results that were posted one by one. */
function postedResults(
  views: TeamViews,
  { test_run_id, arriving }: RunDocument,
  status: ResultStatus | undefined,
): FindPosted {
  const where = { test_run_id, ...(status !== undefined && { status }) };
  const range = arriving && { range: { to: arriving.position } };
  return (part) => views.find(resultDocuments, { sort: oldestFirst, ...range, ...part, where });
}

/** A place in the merged list. */
type Entry = { position: Position; id: string; posted: ResultDocument | null; packed: Packed | null };

async function mergedPage(
  views: TeamViews,
  run: RunDocument,
  { status, after, offset = 0, limit }: ResultsQuery,
): Promise<ResultsPage> {
  const { team_id: team, test_run_id: runId, arriving } = run;
  const find = postedResults(views, run, status);
  const list: PackedList = { views, team, runId, status, until: arriving?.position };
  const before = after === undefined ? await postedBefore(find, list, offset) : 0;
  const start: ListStart = after === undefined ? { skip: offset - before } : { after: String(after.value) };
  const [posted, packed] = await Promise.all([
    find({ limit: limit + 1, ...(after === undefined ? { offset: before } : { after }) }),
    nextPacked(list, start, limit + 1),
  ]);
  const entries: Entry[] = [
    ...posted.items.map((each) => ({ ...placeOf(each), posted: each, packed: null })),
    ...packed.map((each) => {
      return { position: each.position, id: resultIdAt(each.pack, each.n), posted: null, packed: each };
    }),
  ].sort((one, other) => (one.position < other.position ? -1 : 1));
  const page = entries.slice(0, limit);
  const whole = await packedResults(
    views,
    team,
    page.flatMap((entry) => entry.packed ?? []),
  );
  const items = [...page.flatMap((entry) => entry.posted ?? []), ...whole].sort((one, other) =>
    one.created_position < other.created_position ? -1 : 1,
  );
  const next = entries.length > limit ? cursorOf(page.at(-1)!) : null;
  return { items, next };
}

/** How many of the results before a place in the merged list were posted one by one. */
async function postedBefore(find: FindPosted, list: PackedList, offset: number): Promise<number> {
  const at = async (n: number) => (await find({ offset: n, limit: 1 })).items[0];
  // In nearly every run with submissions, nothing else was posted.
  if (offset === 0 || (await at(0)) === undefined) return 0;
  const packedBefore = await countsBefore(list);
  let [low, high] = [0, offset];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const posted = await at(middle);
    if (posted === undefined || middle + packedBefore(posted.created_position) >= offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

type ListPlace = Pick<Entry, 'position' | 'id'>;

function placeOf({ created_position: position, test_result_id: id }: ResultDocument): ListPlace {
  return { position, id };
}

function cursorOf({ position: value, id }: ListPlace): Cursor {
  return { value, id };
}
