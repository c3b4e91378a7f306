/** The entries of a test, newest first, from the blocks of its bucket in the history. */
import {
  blockBefore,
  blockId,
  entriesInBlock,
  historyBlockDocuments,
  type ListedEntry,
} from '../../projections/history/history-blocks.js';
import { noState } from '../../projections/history/test-buckets.js';
import type { TestDocument } from '../../projections/history/tests.js';
import type { EnvironmentKey } from '../domain/environment.js';
import { hashOf } from '../domain/test-history/packed-entry.js';
import { placeIn, type Place } from '../../projections/history/buckets.js';
import type { TypedViews } from '../projecting/typed-views.js';
import { placedLine, statesOnBranch, statesOf, type Placed } from './tests/test-states.js';

type Views = Pick<TypedViews, 'get'>;

type LinedTest = Placed & Pick<TestDocument, 'lines'>;

/** Of which results entries are; undefined: of all branches, of all environments. */
export type EntrySelection = {
  branch?: string | null | undefined;
  environment?: EnvironmentKey | undefined;
};

/** `total`: the number of all entries of the selection, which the part is of. */
export type ListedPart = { items: ListedEntry[]; total: number };

/** It reads the blocks of the test from the newest one on, at most `blocks` of them. */
export async function listedEntries(
  views: Views,
  test: LinedTest,
  selection: EntrySelection,
  { offset, limit, blocks = Infinity }: { offset: number; limit: number; blocks?: number },
): Promise<ListedPart> {
  const { total, pages } = await pagesOf(views, test, selection);
  const items: ListedEntry[] = [];
  let skipped = 0;
  let read = 0;
  if (offset < total) {
    for await (const page of pages) {
      const from = Math.min(Math.max(0, offset - skipped), page.length);
      skipped += from;
      items.push(...page.slice(from, from + limit - items.length));
      read += 1;
      // Behind the last one, blocks may only have entries that were deleted, and those of other lines.
      if (items.length === limit || offset + items.length >= total || read >= blocks) break;
    }
  }
  return { items, total };
}

/** Blocks that a list of tests reads for each: the entries of other lines may be on top of those that it wants. */
const MOST_BLOCKS = 40;

/** The newest entries of one line of a test, on one branch or on all; fewer where other lines have run much more often since. */
export async function newestOfLine(
  views: Views,
  test: LinedTest,
  selection: EntrySelection & { environment: EnvironmentKey },
  limit: number,
): Promise<ListedEntry[]> {
  return (await listedEntries(views, test, selection, { offset: 0, limit, blocks: MOST_BLOCKS })).items;
}

/**
 * The entries of a selection before and after that of a result, which may be outside of it; null where the test has none of the
 * result. Looks for it on the branch first, which may have far fewer blocks.
 */
export async function entriesAround(
  views: Views,
  test: LinedTest,
  selection: EntrySelection,
  { result, limit }: { result: string; limit: number },
): Promise<ListedPart | null> {
  const { total, pages } = await pagesOf(views, test, selection);
  const own = await around(pages, () => true, { result, limit });
  if (own !== null) return { items: own, total };
  const all = await pagesOf(views, test, {});
  const others = await around(all.pages, (entry) => isIn(selection, entry), { result, limit });
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

async function pagesOf(views: Views, test: LinedTest, selection: EntrySelection) {
  const { branch, environment } = selection;
  const whole = await countedIn(views, test, branch);
  const total =
    environment === undefined ? whole.entries : await entriesOfLine(views, test, selection, whole);
  const pages = walk(views, placeIn(test.project_id, test.number), branch, whole.block);
  return { total, pages: environment === undefined ? pages : only(selection, pages) };
}

/** `plain`: the entries without an environment. */
type Counted = { entries: number; plain: number; block: number | null };

async function countedIn(views: Views, test: Placed, branch: EntrySelection['branch']): Promise<Counted> {
  if (branch !== undefined) {
    const { entries, plain_entries, block } = (await statesOnBranch(views, [test], branch))[0]!;
    return { entries, plain: plain_entries ?? entries, block };
  }
  const [{ entries, plain, block } = noState] = await statesOf(views, [test]);
  return { entries, plain: plain?.entries ?? entries, block };
}

async function entriesOfLine(
  views: Views,
  test: LinedTest,
  { branch, environment = '' }: EntrySelection,
  whole: Counted,
): Promise<number> {
  if (environment === '') return whole.plain;
  const line = placedLine(test, environment);
  return line === null ? 0 : (await countedIn(views, line, branch)).entries;
}

async function* only(
  selection: EntrySelection,
  pages: AsyncIterable<readonly ListedEntry[]>,
): AsyncGenerator<ListedEntry[]> {
  for await (const page of pages) yield page.filter((entry) => isIn(selection, entry));
}

function isIn({ branch, environment }: EntrySelection, entry: ListedEntry): boolean {
  if (branch !== undefined && entry.branch !== branch) return false;
  if (environment === undefined) return true;
  return entry.environment === (environment === '' ? null : hashOf(environment));
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
