/** Tests by their tags: the index of the tests of a project has them; a list of `listingDocuments` has not, and is read. */
import { listingDocuments, listingId, type Listing } from '../../../projections/history/listings.js';
import { testDocuments, type TestDocument } from '../../../projections/history/tests.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import type { ViewQuery } from '../../ports/views.js';
import { everyPage } from '../every-page.js';
import { READ_COSTS } from '../results/results-with-facts.js';
import { hasTag, partOfTag } from '../../domain/test-history/packed-tags.js';
import { hasAll } from '../words.js';

/** `owner`: that of its newest result in the list. */
export type OwnedTest = { test: TestDocument; owner: string | null };

/** `words`: all of them are in the name. */
export type TestFilter = {
  owner: string | undefined;
  words: readonly string[];
  tag: string | undefined;
  not_tag: string | undefined;
};

export const everyTest: TestFilter = { owner: undefined, words: [], tag: undefined, not_tag: undefined };

/** Whether it asks for no tags. */
export function isUntagged({ tag, not_tag }: TestFilter): boolean {
  return tag === undefined && not_tag === undefined;
}

/** The filter by tags as a query of `testDocuments`. */
export function byTags({ tag, not_tag }: TestFilter): Pick<ViewQuery, 'parts'> {
  const field = 'tags';
  const parts = [
    ...(tag === undefined ? [] : [{ field, part: partOfTag(tag) }]),
    ...(not_tag === undefined ? [] : [{ field, part: partOfTag(not_tag), not: true }]),
  ];
  return parts.length === 0 ? {} : { parts };
}

export function wantsAll(filter: TestFilter): boolean {
  return filter.owner === undefined && filter.words.length === 0 && isUntagged(filter);
}

export function isWanted({ test, owner }: OwnedTest, wanted: TestFilter): boolean {
  const { tag, not_tag, words } = wanted;
  return (
    (wanted.owner === undefined || owner === wanted.owner) &&
    (tag === undefined || hasTag(test.tags, tag)) &&
    (not_tag === undefined || !hasTag(test.tags, not_tag)) &&
    hasAll(test.name, words)
  );
}

type Views = Pick<TypedViews, 'find' | 'get'>;
type Selected = Pick<ViewQuery, 'where' | 'contains'>;
type TaggedPart = {
  listing: boolean;
  offset: number;
  limit: number;
  direction?: ViewQuery['sort']['direction'];
};

/**
 * A part of them, in the order of names, and how many tests there are. Only those of the part are kept: a project may have
 * a million tests with one tag. `listing`: the list is one of `listingDocuments`. `searched`: what it cost, in names that a
 * search looks through.
 */
export async function taggedTests(
  views: Views,
  wanted: TestFilter,
  selected: Selected,
  { listing, offset, limit, direction = 'ascending' }: TaggedPart,
): Promise<{ tagged: OwnedTest[]; total: number; searched: number }> {
  const query = { ...selected, sort: { field: 'name', direction }, limit: 500 } as const;
  const tagged: OwnedTest[] = [];
  let total = 0;
  let searched = 0;
  for await (const page of listing ? listed(views, query) : all(views, { ...query, ...byTags(wanted) })) {
    const found = page.filter((each) => isWanted(each, wanted));
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
