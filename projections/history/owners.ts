/** Who owns a test: the owner that its newest result names. */

/** Of the last results, the newest first: a deletion shows the one before. Empty if none of them has an owner. */
export type Owners = readonly { result_id: string; owner: string | null }[];

export function withOwner(owners: Owners, newest: Owners[number]): Owners {
  const last = [newest, ...withoutOwner(owners, newest.result_id)].slice(0, OWNERS);
  // Most projects name no owners, and each test has this list.
  return last.every(({ owner }) => owner === null) ? [] : last;
}

/** One result would be enough if results were never deleted. */
const OWNERS = 4;

export function withoutOwner(owners: Owners, resultId: string): Owners {
  return owners.filter(({ result_id }) => result_id !== resultId);
}

export function ownerIn(owners: Owners): string | null {
  return owners[0]?.owner ?? null;
}
