/**
 * Where a test is listed beside its project: on a branch, in an environment, and on a branch in an environment. A listing of one line
 * on one branch also says whether the line fails there; that of a branch says it of the line without an environment.
 */
import { environmentId, type EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import { collection, type Documents } from '../../src/domain/projection.js';
import { newestFailure } from '../../src/domain/test-history/failing-row.js';
import { isPassing, unpacked, type PackedVerdicts } from '../../src/domain/test-history/packed-verdicts.js';
import type { ResultChange } from '../../src/domain/test-history/result-change.js';
import { ownerIn, type Owners } from './owners.js';

/** `environment`: absent for the results of all. `branch`: absent for those of all; null for those without one. */
export type Listing = { environment?: EnvironmentKey; branch?: string | null };

/** By listing (`listingId`): the test has results there. */
export type ListingDocument = Listing & {
  /** `listOf`. */
  listed_in: string;
  test_id: string;
  name: string;
  /** That of the newest result there. */
  owner: string | null;
  /** The test, if the newest verdict of the line on this branch failed; else null. */
  failing_test: string | null;
  /** When it failed last; null unless `failing_test` is set. */
  failed_at: Instant | null;
  /** It has results there without an environment. */
  plain: boolean;
};

export const listingDocuments = collection<ListingDocument>({
  name: 'listings',
  ids: 'test',
  indexes: [
    ['listed_in', 'name'],
    ['failing_test', 'failed_at'],
  ],
  filterable: ['owner', 'plain'],
  sparse: ['failing_test'],
  totals: [['listed_in'], ['listed_in', 'owner'], ['listed_in', 'plain'], ['listed_in', 'owner', 'plain']],
  searchable: 'name',
});

export function listingId(testId: string, listing: Listing): string {
  return at(testId, listing);
}

/** The list of the tests of a project that have such results. */
export function listOf(projectId: string, listing: Listing): string {
  return at(projectId, listing);
}

function at(id: string, { environment, branch }: Listing): string {
  const line = environment === undefined ? id : `${id}@${environmentId(environment)}`;
  if (branch === undefined) return line;
  return branch === null ? `${line}#` : `${line}#=${branch}`;
}

/** The listing of a line on a branch. */
export function listingOf(environment: EnvironmentKey, branch: string | null): Listing {
  return environment === '' ? { branch } : { environment, branch };
}

/** What a listing shows: the state of a test or a line, on a branch or on all. Only that of a line on a branch has verdicts. */
export type Listed = {
  entries: number;
  owners: Owners;
  verdicts?: PackedVerdicts;
  plain_entries?: number | null;
};

/** Of a line, whatever the branch. */
export function listedOf({ entries, owners }: Pick<Listed, 'entries' | 'owners'>): Listed {
  return { entries, owners };
}

export type NamedTest = Pick<ListingDocument, 'test_id' | 'name'> & { project_id: string };

/** Puts a listing if it has to say something else after a change of the state, and removes that of a state without entries. */
export function putListing(
  documents: Documents,
  { project_id, test_id, name }: NamedTest,
  listing: Listing,
  before: Listed,
  after: Listed,
): void {
  const id = listingId(test_id, listing);
  if (after.entries === 0) return documents.remove(listingDocuments, id);
  const owner = ownerIn(after.owners);
  const now = failing(test_id, after);
  if (before.entries > 0) {
    const { failing_test, failed_at } = failing(test_id, before);
    const isSame = now.failing_test === failing_test && now.failed_at === failed_at;
    if (isSame && owner === ownerIn(before.owners) && isPlain(listing, before) === isPlain(listing, after))
      return;
  }
  documents.put(listingDocuments, id, {
    ...listing,
    listed_in: listOf(project_id, listing),
    test_id,
    name,
    owner,
    ...now,
    plain: isPlain(listing, after),
  } satisfies ListingDocument);
}

/** Whether an entry may change what a listing says. A pass after a pass does not. */
export function mayChange(
  { entries, owners, verdicts, plain_entries }: Listed,
  { entry, former, owner }: ResultChange,
): boolean {
  if (entry === null || former !== null || entries === 0 || owner !== ownerIn(owners)) return true;
  if (plain_entries === 0 && entry.environment === '') return true;
  return verdicts !== undefined && (entry.status === 'Failed' || !isPassing(verdicts));
}

function isPlain({ environment = '' }: Listing, { plain_entries }: Listed): boolean {
  return environment === '' && plain_entries !== 0;
}

/** Whether the line fails on the branch now. */
function failing(testId: string, { verdicts }: Listed): Pick<ListingDocument, 'failing_test' | 'failed_at'> {
  const failure = verdicts === undefined || isPassing(verdicts) ? null : newestFailure(unpacked(verdicts));
  return { failing_test: failure === null ? null : testId, failed_at: failure?.at ?? null };
}
