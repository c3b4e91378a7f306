/** Which removed tests may be there under another name: a test that was renamed, or moved to another file, is no loss. */
import { groupIn, keyIn, type PackedResult } from './packed-results.js';
import { suiteKey, titleKey } from './test-keys.js';

type KeyOf = (result: PackedResult) => string | null;

const titleAndEnvironment: KeyOf = (result) => titleKey(keyIn(result), groupIn(result));
const fileAndSuite: KeyOf = (result) => suiteKey(groupIn(result));

/**
 * The added test of each removed one that has one, by results. Each is in one pair. Titles go first: of several tests of a
 * suite, any two would do.
 */
export function pairsOf(
  removed: readonly PackedResult[],
  added: readonly PackedResult[],
): ReadonlyMap<PackedResult, PackedResult> {
  const pairs = new Map<PackedResult, PackedResult>();
  if (removed.length === 0 || added.length === 0) return pairs;
  const taken = new Set<PackedResult>();
  for (const keyOf of [titleAndEnvironment, fileAndSuite]) {
    const free = byKey(
      added.filter((result) => !taken.has(result)),
      keyOf,
    );
    for (const result of removed) {
      const key = keyOf(result);
      const partner = key === null || pairs.has(result) ? undefined : free.get(key)?.pop();
      if (partner === undefined) continue;
      pairs.set(result, partner);
      taken.add(partner);
    }
  }
  return pairs;
}

/** The last of a key first. */
function byKey(results: readonly PackedResult[], keyOf: KeyOf): Map<string, PackedResult[]> {
  const found = new Map<string, PackedResult[]>();
  for (const result of results.toReversed()) {
    const key = keyOf(result);
    if (key === null) continue;
    const same = found.get(key);
    if (same === undefined) found.set(key, [result]);
    else same.push(result);
  }
  return found;
}
