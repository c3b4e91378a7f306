/**
 * The lists of tests beside those of projects: on a branch, in an environment, and on a branch in an environment. A list has a bit
 * for each test, by its number. A document for each test of each list was most of what the first run of a branch wrote.
 */
import { environmentId, type EnvironmentKey } from '../../src/domain/environment.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type OpenCollection,
} from '../../src/domain/projection.js';
import type { Place } from './buckets.js';

/**
 * `environment`: absent for the results of all; on a branch, empty for those without one. `branch`: absent for those of all; null
 * for those without one.
 */
export type Listing = { environment?: EnvironmentKey; branch?: string | null };

/** By part (`listingId`): which of its tests have results there. Each number has the bits of 32 tests, the first in the lowest bit. */
export type ListingDocument = { bits: readonly number[] };
type OpenListing = { bits: number[] };

export const listingDocuments: OpenCollection<ListingDocument, OpenListing> = {
  ...collection<ListingDocument>({ name: 'listings', ids: 'project', indexes: [] }),
  open: (stored) => ({ bits: [...(stored?.bits ?? [])] }),
};

/** A new test writes its part of each of its lists, and a reader reads all parts. */
const TESTS_PER_PART = 2_048;
const BITS = 32;

type InProject = { project_id: string; place: Place };

export function listingRef({ project_id, place }: InProject, listing: Listing): DocumentRef {
  return listingDocuments.at(listingId(project_id, Math.floor(place.number / TESTS_PER_PART), listing));
}

/** Puts a test into a list, or takes it out. `place`: that of the test, not of one of its lines. */
export function list(
  documents: Documents,
  { project_id, place: { number } }: InProject,
  listing: Listing,
  { before, after }: { before: boolean; after: boolean },
): void {
  if (before === after) return;
  const id = listingId(project_id, Math.floor(number / TESTS_PER_PART), listing);
  const { bits } = documents.edit(listingDocuments, id);
  const slot = number % TESTS_PER_PART;
  const [at, bit] = [Math.floor(slot / BITS), 1 << (slot % BITS)];
  while (bits.length <= at) bits.push(0);
  bits[at] = after ? bits[at]! | bit : bits[at]! & ~bit;
}

function listingId(projectId: string, part: number, listing: Listing): string {
  return inListing(`${projectId}#${part}`, listing);
}

/** The id of the same in an environment, on a branch, or both. */
export function inListing(id: string, { environment, branch }: Listing): string {
  const line = environment === undefined ? id : `${id}@${environmentId(environment)}`;
  if (branch === undefined) return line;
  return branch === null ? `${line}#` : `${line}#=${branch}`;
}

/** The ids of all parts of a list, in order. `tests`: how many numbers the project has given. */
export function partsOfListing(projectId: string, listing: Listing, tests: number): string[] {
  const parts = Math.ceil(tests / TESTS_PER_PART);
  return Array.from({ length: parts }, (_, part) => listingId(projectId, part, listing));
}

/** As a query takes it (`among`): a digit for each number of a part, 1 where its test is in the list. */
export function digitsOf(stored: ListingDocument | null): string {
  const digits = Buffer.alloc(TESTS_PER_PART, '0');
  const [one] = Buffer.from('1');
  for (const [at, bits] of (stored?.bits ?? []).entries())
    for (let n = 0; n < BITS; n += 1) if ((bits & (1 << n)) !== 0) digits[at * BITS + n] = one!;
  return digits.toString('latin1');
}
