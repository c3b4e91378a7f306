/** Who owns a test, and which tags it has: as its newest result says. */
import type { ResultChange } from '../../src/domain/test-history/result-change.js';

/** `tags`: packed; only of the test itself, and absent without any. */
type Owned = { result_id: string; owner: string | null; tags?: string };

/** Of the last results, the newest first: a deletion shows the one before. Empty if none of them has an owner or a tag. */
export type Owners = readonly Owned[];

/** What a test keeps of the owner and the tags of a result. */
export function ownedBy({ result, owner, tags }: ResultChange): Owned {
  const named = { result_id: result.test_result_id, owner };
  return tags === null ? named : { ...named, tags };
}

export function withOwner(owners: Owners, newest: Owners[number]): Owners {
  const last = [newest, ...withoutOwner(owners, newest.result_id)].slice(0, OWNERS);
  // Most projects name neither, and each test has this list.
  return last.every(({ owner, tags }) => owner === null && tags === undefined) ? [] : last;
}

/** One result would be enough if results were never deleted. */
const OWNERS = 4;

export function withoutOwner(owners: Owners, resultId: string): Owners {
  return owners.filter(({ result_id }) => result_id !== resultId);
}

export function ownerIn(owners: Owners): string | null {
  return owners[0]?.owner ?? null;
}

export function tagsOf(owners: Owners): string | null {
  return owners[0]?.tags ?? null;
}
