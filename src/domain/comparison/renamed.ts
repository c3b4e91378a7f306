/** Which removed tests may be there under another name: a test that was renamed, or moved to another file, is no loss. */
import { groupIn, keyIn, lineKeyIn, type PackedResult } from './packed-line.js';
import { suiteKey, titleKey } from './test-keys.js';

type KeyOf = (result: PackedResult) => string | null;

const titleAndEnvironment: KeyOf = (result) => titleKey(keyIn(result), groupIn(result));
const fileAndSuite: KeyOf = (result) => suiteKey(groupIn(result));

/**
 * The added test of each removed one that has one, by results. Each is in one pair. Titles go first: of several tests of a
 * suite, any two would do. Which of them pair does not depend on
 * their order, because the gate meets them in another one than a comparison.
 */
export function pairsOf(
  removed: readonly PackedResult[],
  added: readonly PackedResult[],
): ReadonlyMap<PackedResult, PackedResult> {
  const pairs = new Map<PackedResult, PackedResult>();
  if (removed.length === 0 || added.length === 0) return pairs;
  const taken = new Set<PackedResult>();
  for (const keyOf of [titleAndEnvironment, fileAndSuite]) {
    const wanting = byKey(
      removed.filter((result) => !pairs.has(result)),
      keyOf,
    );
    if (wanting.size === 0) continue;
    // A run of many tests beside a smaller one adds nearly all of them, and hardly any is wanted.
    const free = byKey(
      added.filter((result) => !taken.has(result)),
      (result) => ownKeyIf(wanting, keyOf(result)),
    );
    for (const [key, results] of wanting) {
      const partners = free.get(key) ?? [];
      const most = Math.min(results.length, partners.length);
      if (results.length !== partners.length) [results, partners].forEach(sort);
      for (let n = 0; n < most; n += 1) {
        pairs.set(results[n]!, partners[n]!);
        taken.add(partners[n]!);
      }
    }
  }
  return pairs;
}

function ownKeyIf(wanting: ReadonlyMap<string, unknown>, key: string | null): string | null {
  return key !== null && wanting.has(key) ? key : null;
}

function byKey(results: readonly PackedResult[], keyOf: KeyOf): Map<string, PackedResult[]> {
  const found = new Map<string, PackedResult[]>();
  for (const result of results) {
    const key = keyOf(result);
    if (key === null) continue;
    const same = found.get(key);
    if (same === undefined) found.set(key, [result]);
    else same.push(result);
  }
  return found;
}

function sort(results: PackedResult[]): void {
  results.sort((one, other) => (lineKeyIn(one) < lineKeyIn(other) ? -1 : 1));
}
