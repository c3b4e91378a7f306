/** The entries of a test, newest first, from the blocks of its page in the read models of the outbox projector. */
import { branchPage, branchPageDocuments, branchStateIn } from '../../projections/tests/branches.js';
import {
  blockBefore,
  blockId,
  entriesInBlock,
  historyBlockDocuments,
  type ListedEntry,
} from '../../projections/tests/history-blocks.js';
import { placeIn, type Place } from '../../projections/tests/pages.js';
import { stateIn, testPageDocuments } from '../../projections/tests/test-pages.js';
import type { TestDocument } from '../../projections/tests/tests.js';
import type { TypedViews } from '../projecting/typed-views.js';

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
  if (test.number === null) return { total: 0, pages: none() };
  const place = placeIn(test.project_id, test.number);
  const { entries: total, block } = await newestOf(views, place, branch);
  return { total, pages: walk(views, place, branch, block) };
}

async function newestOf(views: Views, place: Place, branch: string | null | undefined) {
  if (branch === undefined) {
    const [page = null] = await views.get(testPageDocuments, [place.page]);
    return stateIn(page, place.slot);
  }
  const [page = null] = await views.get(branchPageDocuments, [branchPage(place, branch)]);
  return branchStateIn(page, place.slot);
}

async function* walk(
  views: Views,
  { page, slot }: Place,
  branch: string | null | undefined,
  newest: number | null,
): AsyncGenerator<ListedEntry[]> {
  for (let n = newest; n !== null;) {
    const [block] = await views.get(historyBlockDocuments, [blockId(page, n)]);
    if (block == null) return;
    yield entriesInBlock(block, slot, branch);
    n = blockBefore(block, slot, branch);
  }
}

async function* none(): AsyncGenerator<ListedEntry[]> {}
