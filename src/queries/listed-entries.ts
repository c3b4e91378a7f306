/** The entries of a test, newest first, from the blocks of its bucket in the read models of the outbox projector. */
import {
  blockBefore,
  blockId,
  entriesInBlock,
  historyBlockDocuments,
  type ListedEntry,
} from '../../projections/histories/history-blocks.js';
import { placeIn, type Place } from '../../projections/histories/buckets.js';
import type { TestDocument } from '../../projections/histories/tests.js';
import type { TypedViews } from '../projecting/typed-views.js';
import { stateOnBranch, statesOf } from './test-states.js';

type Views = Pick<TypedViews, 'get'>;
type Placed = Pick<TestDocument, 'project_id' | 'number'>;

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
      if (items.length === limit) break;
    }
  }
  return { items, total };
}

/** The entry of a result with those before and after it; null where the test has none of it on the branch. */
export async function entriesAround(
  views: Views,
  test: Placed,
  branch: string | null | undefined,
  { result, limit }: { result: string; limit: number },
): Promise<ListedPart | null> {
  const { total, pages } = await pagesOf(views, test, branch);
  const half = Math.ceil(limit / 2);
  const newer = limit - half;
  const seen: ListedEntry[] = [];
  let found = -1;
  for await (const page of pages) {
    seen.push(...page);
    if (found < 0) found = seen.findIndex(({ result_id }) => result_id === result);
    // Only those right before it are of use.
    if (found < 0 && seen.length > newer) seen.splice(0, seen.length - newer);
    if (found >= 0 && seen.length >= found + half) break;
  }
  if (found < 0) return null;
  return { items: seen.slice(Math.max(0, found - newer), found + half), total };
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
