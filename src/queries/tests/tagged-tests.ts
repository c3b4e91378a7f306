/** All tests of a list, or those of them that have a tag: no index has the tags. */
import { listingDocuments, listingId, type Listing } from '../../../projections/history/listings.js';
import { testDocuments, type TestDocument } from '../../../projections/history/tests.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import type { ViewQuery } from '../../ports/views.js';
import { everyPage } from '../every-page.js';
import { READ_COSTS } from '../results/search-run.js';

/** `owner`: that of its newest result in the list. */
export type OwnedTest = { test: TestDocument; owner: string | null };

type Views = Pick<TypedViews, 'find' | 'get'>;
type Selected = Pick<ViewQuery, 'where' | 'contains'>;

/**
 * A part of them, in the order of names, and how many tests there are. Only those of the part are kept: a project may have
 * a million tests with one tag. `tag` undefined: all. `listing`: the list is one of `listingDocuments`. `searched`: what it
 * cost, in names that a search looks through.
 */
export async function taggedTests(
  views: Views,
  tag: string | undefined,
  selected: Selected,
  { listing, offset, limit }: { listing: boolean; offset: number; limit: number },
): Promise<{ tagged: OwnedTest[]; total: number; searched: number }> {
  const query = { ...selected, sort: { field: 'name', direction: 'ascending' }, limit: 500 } as const;
  const tagged: OwnedTest[] = [];
  let total = 0;
  let searched = 0;
  for await (const page of listing ? listed(views, query) : all(views, query)) {
    const found = page.filter(({ test }) => tag === undefined || hasTag(test, tag));
    tagged.push(...found.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
    total += found.length;
    searched += READ_COSTS * page.length;
  }
  return { tagged, total, searched };
}

/** By their ids, null for one that was removed. `listing`: null for the list of all tests of a project. */
export async function ownedTests(
  views: Pick<TypedViews, 'get'>,
  ids: readonly string[],
  listing: Listing | null,
): Promise<(OwnedTest | null)[]> {
  const tests = await views.get(testDocuments, ids);
  const listed =
    listing === null
      ? tests
      : await views.get(
          listingDocuments,
          ids.map((id) => listingId(id, listing)),
        );
  return tests.map((test, n) => test && { test, owner: listed[n]?.owner ?? null });
}

function hasTag({ tags }: TestDocument, tag: string): boolean {
  return tags !== null && (JSON.parse(tags) as string[]).includes(tag);
}

async function* all(views: Views, query: ViewQuery): AsyncGenerator<OwnedTest[]> {
  for await (const page of everyPage(views, testDocuments, query))
    yield page.map((test) => ({ test, owner: test.owner }));
}

async function* listed(views: Views, query: ViewQuery): AsyncGenerator<OwnedTest[]> {
  for await (const page of everyPage(views, listingDocuments, query)) {
    const ids = page.map(({ test_id }) => test_id);
    const tests = await views.get(testDocuments, ids);
    // A test may have been removed between the two queries.
    yield tests.flatMap((test, n) => (test === null ? [] : [{ test, owner: page[n]!.owner }]));
  }
}
