/** The entries of a test, newest first, from the blocks of its bucket in the history. */
import {
  blockBefore,
  blockId,
  entriesInBlock,
  historyBlockDocuments,
  type ListedEntry,
} from '../../projections/history/history-blocks.js';
import type { EnvironmentKey } from '../domain/environment.js';
import { hashOf } from '../domain/test-history/packed-entry.js';
import { placeIn, type Place } from '../../projections/history/buckets.js';
import type { TypedViews } from '../projecting/typed-views.js';
import { stateOnBranch, statesOf, type Placed } from './test-states.js';

type Views = Pick<TypedViews, 'get'>;

/** `total`: the number of all entries, which the part is of. */
export type ListedPart = { items: ListedEntry[]; total: number };

/** Those of one branch, or of all where it is undefined. It reads the blocks of the test from the newest one on. */
export async function listedEntries(
  views: Views,
  test: Placed,
  branch: string | null | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListedPart> {
  const { total, pages } = await pagesOf(views, test, branch);
  const items: ListedEntry[] = [];
  let skipped = 0;
  if (offset < total) {
    for await (const page of pages) {
      const from = Math.min(Math.max(0, offset - skipped), page.length);
      skipped += from;
      items.push(...page.slice(from, from + limit - items.length));
      // Behind the last one, blocks may only have entries that were deleted.
      if (items.length === limit || offset + items.length >= total) break;
    }
  }
  return { items, total };
}

/** Blocks that a look for the newest entries of one line reads: the others of the test may be on top of them. */
const MOST_BLOCKS = 40;

/** The newest entries of one line of a test, on one branch or on all; fewer where other lines have run much more often since. */
export async function newestOfLine(
  views: Views,
  test: Placed,
  { branch, environment }: { branch: string | null | undefined; environment: EnvironmentKey },
  limit: number,
): Promise<ListedEntry[]> {
  const { pages } = await pagesOf(views, test, branch);
  const wanted = environment === '' ? null : hashOf(environment);
  const items: ListedEntry[] = [];
  let blocks = 0;
  for await (const page of pages) {
    items.push(...page.filter((entry) => entry.environment === wanted));
    blocks += 1;
    if (items.length >= limit || blocks === MOST_BLOCKS) break;
  }
  return items.slice(0, limit);
}

/**
 * The entries before and after that of a result, which may be on another branch; null where the test has none of it. Looks
 * for it on the branch first, which may have far fewer blocks.
 */
export async function entriesAround(
  views: Views,
  test: Placed,
  branch: string | null | undefined,
  { result, limit }: { result: string; limit: number },
): Promise<ListedPart | null> {
  const { total, pages } = await pagesOf(views, test, branch);
  const own = await around(pages, () => true, { result, limit });
  if (own !== null || branch === undefined) return own && { items: own, total };
  const all = await pagesOf(views, test, undefined);
  const others = await around(all.pages, (entry) => entry.branch === branch, { result, limit });
  return others && { items: others, total };
}

/** Of the entries that are wanted, those around that of a result; null where it has none. */
async function around(
  pages: AsyncIterable<readonly ListedEntry[]>,
  isWanted: (entry: ListedEntry) => boolean,
  { result, limit }: { result: string; limit: number },
): Promise<ListedEntry[] | null> {
  const half = Math.ceil(limit / 2);
  const newer: ListedEntry[] = [];
  const older: ListedEntry[] = [];
  let found = false;
  for await (const page of pages) {
    for (const entry of page) {
      found ||= entry.result_id === result;
      if (isWanted(entry)) (found ? older : newer).push(entry);
    }
    // Only those right before it are of use.
    if (newer.length > limit - half) newer.splice(0, newer.length - (limit - half));
    if (older.length >= half) break;
  }
  return found ? [...newer, ...older.slice(0, half)] : null;
}

async function pagesOf(views: Views, test: Placed, branch: string | null | undefined) {
  const [whole] = branch === undefined ? await statesOf(views, [test]) : [];
  const { entries: total, block } = whole ?? (await stateOnBranch(views, test, branch ?? null));
  return { total, pages: walk(views, placeIn(test.project_id, test.number), branch, block) };
}

async function* walk(
  views: Views,
  { bucket, slot }: Place,
  branch: string | null | undefined,
  newest: number | null,
): AsyncGenerator<ListedEntry[]> {
  for (let n = newest; n !== null;) {
    const [block] = await views.get(historyBlockDocuments, [blockId(bucket, n)]);
    if (block == null) return;
    yield entriesInBlock(block, slot, branch);
    n = blockBefore(block, slot, branch);
  }
}
