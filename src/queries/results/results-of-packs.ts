/** Lists the results of a run that came in submissions, by the directory of the run (docs/decisions/035). */
import {
  directoryDocuments,
  PACK_ITEMS,
  packDocuments,
  packedAt,
  positionAt,
  type DirectoryDocument,
  type Listed,
} from '../../../projections/records/result-packs.js';
import { wholeTeam } from '../../domain/teams/access.js';
import { itemPosition, logPosition, type Position } from '../../domain/event.js';
import type { ResultStatus } from '../../domain/results/result.js';
import type { ViewQuery } from '../../ports/views.js';
import { everyPage } from '../every-page.js';
import type { Packed } from './results-by-id.js';
import type { TeamViews } from '../team-views.js';

/** `status`: only results with it. `until`: only what came up to this position. */
export type PackedList = {
  views: TeamViews;
  team: string;
  runId: string;
  status: ResultStatus | undefined;
  until: Position | undefined;
};

export type PackedResult = Packed & { position: Position };

/** Begins behind a position, or leaves out this many results of the list. */
export type ListStart = { after?: Position | undefined; skip?: number };

/** The next results of the list and their positions: at least `limit` of them, or all that are left. */
export async function nextPacked(
  list: PackedList,
  { after = '', skip = 0 }: ListStart,
  limit: number,
): Promise<PackedResult[]> {
  const found: PackedResult[] = [];
  let wanted: string[] = [];
  let expected = 0;
  let left = skip;
  for await (const { pack, last, count } of listedPacks(list, after)) {
    if (last <= after) continue;
    if (wanted.length === 0 && found.length === 0 && left >= count) {
      left -= count;
      continue;
    }
    wanted.push(pack);
    expected += count;
    if (found.length + expected < left + limit) continue;
    found.push(...(await resultsIn(list, wanted, after)));
    if (found.length >= left + limit) break;
    [wanted, expected] = [[], 0];
  }
  if (found.length < left + limit) found.push(...(await resultsIn(list, wanted, after)));
  return found.slice(left);
}

async function resultsIn(
  { views, team, status }: PackedList,
  ids: readonly string[],
  after: Position,
): Promise<PackedResult[]> {
  if (ids.length === 0) return [];
  const found: PackedResult[] = [];
  for (const pack of await views.some(packDocuments, wholeTeam(team), ids)) {
    for (let n = 0; n < pack.statuses.length; n += 1) {
      const packed = packedAt(pack, n);
      if (packed === null || (status !== undefined && packed.status !== status)) continue;
      const position = positionAt(pack, n);
      if (position > after) found.push({ pack, n, position });
    }
  }
  return found;
}

/** The packs with results of the list, in order, from the block on that has a position. `last`: the highest position in it. */
async function* listedPacks(list: PackedList, from: Position) {
  for await (const block of blocks(list, from)) {
    const { submission_id, first, created_position, listed } = block;
    const since = logPosition(created_position);
    for (const [nth, of] of listed.entries()) {
      const count = countOf(of, list.status);
      if (count === 0) continue;
      const pack = first + nth;
      const last = itemPosition(since, (pack + 1) * PACK_ITEMS - 1);
      yield { pack: `${submission_id}#${pack}`, last, count };
    }
  }
}

/** How many results of the list came before the posted results at these positions: a function of the position. */
export async function countsBefore(list: PackedList): Promise<(position: Position) => number> {
  const positions: Position[] = [];
  const sums: number[] = [];
  let sum = 0;
  for await (const { created_position, listed } of blocks(list, '')) {
    positions.push(created_position);
    sums.push(sum);
    for (const of of listed) sum += countOf(of, list.status);
  }
  return (position) => {
    const next = positions.findIndex((each) => each > position);
    return next < 0 ? sum : sums[next]!;
  };
}

function countOf(listed: Listed, status: ResultStatus | undefined): number {
  if (status !== undefined) return listed[status] ?? 0;
  return Object.values(listed).reduce((sum, count) => sum + count, 0);
}

const BLOCKS_AT_ONCE = 100;

async function* blocks(
  { views, runId, until }: PackedList,
  from: Position,
): AsyncGenerator<DirectoryDocument, void> {
  const where = { test_run_id: runId };
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  const to = until === undefined ? {} : { to: until };
  let range: NonNullable<ViewQuery['range']> = to;
  if (from !== '') {
    const back = { where, sort: { ...sort, direction: 'descending' as const }, limit: 1 };
    const [block] = (await views.find(directoryDocuments, { ...back, range: { to: from } })).items;
    if (block !== undefined) range = { ...to, from: block.created_position };
  }
  const query = { where, sort, range, limit: BLOCKS_AT_ONCE };
  for await (const items of everyPage(views, directoryDocuments, query)) yield* items;
}
