/** The tests of a project, or of a branch, an environment, or a branch in one, and which of them a filter wants. */
import { setImmediate } from 'node:timers/promises';
import { digitsOf, listingDocuments, partsOfListing } from '../../../projections/history/listings.js';
import {
  projectTestsDocuments,
  testDocuments,
  type TestDocument,
} from '../../../projections/history/tests.js';
import { ownerIn } from '../../../projections/history/owners.js';
import type { EnvironmentKey } from '../../domain/environment.js';
import { readOnce, type TypedViews } from '../../projecting/typed-views.js';
import type { ViewQuery } from '../../ports/views.js';
import { everyPage } from '../every-page.js';
import { READ_COSTS } from '../results/results-with-facts.js';
import { hasTag, partOfTag } from '../../domain/test-history/packed-tags.js';
import { hasAll } from '../words.js';
import { ownersOf, statesOnBranch, type Placed } from './test-states.js';

/** `words`: all of them are in the name. */
export type TestFilter = {
  owner: string | undefined;
  words: readonly string[];
  tag: string | undefined;
  not_tag: string | undefined;
};

export const everyTest: TestFilter = { owner: undefined, words: [], tag: undefined, not_tag: undefined };

/** The filter by words and tags as a query of `testDocuments`. */
export function searchOf(wanted: TestFilter): Pick<ViewQuery, 'contains' | 'parts'> {
  return { ...(wanted.words.length > 0 && { contains: wanted.words }), ...byTags(wanted) };
}

function byTags({ tag, not_tag }: TestFilter): Pick<ViewQuery, 'parts'> {
  const field = 'tags';
  const parts = [
    ...(tag === undefined ? [] : [{ field, part: partOfTag(tag) }]),
    ...(not_tag === undefined ? [] : [{ field, part: partOfTag(not_tag), not: true }]),
  ];
  return parts.length === 0 ? {} : { parts };
}

export function wantsAll(filter: TestFilter): boolean {
  const { owner, words, tag, not_tag } = filter;
  return owner === undefined && words.length === 0 && tag === undefined && not_tag === undefined;
}

/** Of the test as a whole. */
export function isWanted({ owner, tags, name }: TestDocument, wanted: TestFilter): boolean {
  const { tag, not_tag, words } = wanted;
  return (
    (wanted.owner === undefined || owner === wanted.owner) &&
    (tag === undefined || hasTag(tags, tag)) &&
    (not_tag === undefined || !hasTag(tags, not_tag)) &&
    hasAll(name, words)
  );
}

type Views = Pick<TypedViews, 'find' | 'get'>;

/** Undefined: of all branches, of all environments. */
type ListSelection = { branch?: string | undefined; environment?: EnvironmentKey | undefined };

/**
 * The tests that have results in a selection, as a query of `testDocuments`. Without `among` for the list of the project. With an
 * owner, those of that owner alone, where the list is one of `saysOwners`.
 */
export async function listedIn(
  views: Pick<TypedViews, 'get'>,
  projectId: string,
  { branch, environment }: ListSelection,
  owner?: string,
): Promise<Pick<ViewQuery, 'where' | 'among'>> {
  const where = { listed_in: projectId };
  if (branch === undefined && environment === undefined) return { where };
  // The index of the tests says this.
  if (branch === undefined && environment === '') return { where: { ...where, plain: true } };
  const [project] = await views.get(projectTestsDocuments, [projectId]);
  const listing = {
    ...(environment !== undefined && { environment }),
    ...(branch !== undefined && { branch }),
  };
  const parts = await views.get(listingDocuments, partsOfListing(projectId, listing, project?.tests ?? 0));
  const digits = Buffer.from(parts.map(digitsOf).join(''), 'latin1');
  if (branch !== undefined && owner !== undefined && saysOwners({ branch, environment }))
    await takeOutOthers(views, digits, { projectId, branch, owner });
  return { where, among: { field: 'number', digits: digits.toString('latin1') } };
}

/** Whether the numbers of tests lead to their owners in a selection. In an environment, lines have other numbers. */
export function saysOwners({ branch, environment }: ListSelection): boolean {
  return branch !== undefined && !environment;
}

/** As many as 128 buckets have. Views in files are read on this thread, which has other work too. */
const NUMBERS_AT_ONCE = 8_192;
const ONE = '1'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);

/** Takes the tests out of a list of a branch that are not of an owner there: it reads a bucket for 64 tests, and no test. */
async function takeOutOthers(
  views: Pick<TypedViews, 'get'>,
  digits: Buffer,
  { projectId, branch, owner }: { projectId: string; branch: string; owner: string },
): Promise<void> {
  for (let from = 0; from < digits.length; from += NUMBERS_AT_ONCE) {
    if (from > 0) await setImmediate();
    const listed: Placed[] = [];
    for (let number = from; number < Math.min(from + NUMBERS_AT_ONCE, digits.length); number += 1)
      if (digits[number] === ONE) listed.push({ project_id: projectId, number });
    const states = await statesOnBranch(views, listed, branch);
    for (const [n, { owners }] of states.entries())
      if (ownerIn(owners) !== owner) digits[listed[n]!.number] = ZERO;
  }
}

/** The buckets that are kept for one answer. Each takes a good tenth of a millisecond to read. */
const SHARED = 300;

type Part = { offset: number; limit: number; direction?: ViewQuery['sort']['direction'] };

/**
 * A part of the tests that a filter wants, in the order of names, and how many there are, by reading all of the selection. Only
 * those of the part are kept: a project may have a million tests of one owner. `searched`: what it cost, in names that a search
 * looks through.
 */
export async function filteredTests(
  views: Views,
  projectId: string,
  { wanted, selection }: { wanted: TestFilter; selection: ListSelection },
  { offset, limit, direction = 'ascending' }: Part,
): Promise<{ filtered: TestDocument[]; total: number; searched: number }> {
  const { owner } = wanted;
  const selected = await listedIn(views, projectId, selection, owner);
  // Only the owner of the test as a whole is in the index. The others stand in buckets, which tests with similar names share.
  const isIndexed = selected.among === undefined;
  const states = isIndexed || owner === undefined || saysOwners(selection) ? null : readOnce(views, SHARED);
  const query: ViewQuery = {
    ...selected,
    where: { ...selected.where, ...(isIndexed && owner !== undefined && { owner }) },
    ...searchOf(wanted),
    sort: { field: 'name', direction },
    limit: 500,
  };
  const filtered: TestDocument[] = [];
  let total = 0;
  let searched = 0;
  for await (const page of everyPage(views, testDocuments, query)) {
    const owners = states && (await ownersOf(states, page, selection));
    const found = owners === null ? page : page.filter((_, n) => owners[n] === owner);
    filtered.push(...found.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
    total += found.length;
    searched += READ_COSTS * page.length;
  }
  return { filtered, total, searched };
}
