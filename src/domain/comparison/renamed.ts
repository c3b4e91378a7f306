/** Which removed tests may be there under another name: a test that was renamed, or moved to another file, is no loss. */
import { groupIn, keyIn, lineKeyIn, type PackedResult } from './packed-results.js';
import { suiteKey, titleKey } from './test-keys.js';

type KeyOf = (result: PackedResult) => string | null;

const titleAndEnvironment: KeyOf = (result) => titleKey(keyIn(result), groupIn(result));
const fileAndSuite: KeyOf = (result) => suiteKey(groupIn(result));

/**
 * The added test of each removed one that has one, by results. Each is in one pair. Titles go first: of several tests of a
 * suite, any two would do. Which of them pair does not depend on the order of their results.
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
    const wanting = byKey(
      removed.filter((result) => !pairs.has(result)),
      keyOf,
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

/** Removed or added tests that change one by one: those that may pair with some others are found without the rest. */
export type Unpaired = {
  /** By the key of the test in its environment. */
  tests: Map<string, PackedResult>;
  /** The keys of tests by what pairs them. */
  by: Map<string, Set<string>>;
};

export function unpaired(results: readonly PackedResult[]): Unpaired {
  const all: Unpaired = { tests: new Map(), by: new Map() };
  for (const result of results) addUnpaired(all, result);
  return all;
}

/** A test that is there already stays as it is. */
export function addUnpaired({ tests, by }: Unpaired, result: PackedResult): void {
  const line = lineKeyIn(result);
  if (tests.has(line)) return;
  tests.set(line, result);
  for (const key of pairKeysOf(result)) {
    const lines = by.get(key);
    if (lines === undefined) by.set(key, new Set([line]));
    else lines.add(line);
  }
}

export function removeUnpaired({ tests, by }: Unpaired, line: string): void {
  const result = tests.get(line);
  if (result === undefined) return;
  tests.delete(line);
  for (const key of pairKeysOf(result)) by.get(key)!.delete(line);
}

/** The number of pairs. It costs what the fewer tests of the two and their possible partners cost. */
export function countPairs(removed: Unpaired, added: Unpaired): number {
  if (removed.tests.size > added.tests.size) {
    return pairsOf(partnersIn(removed, added), [...added.tests.values()]).size;
  }
  return pairsOf([...removed.tests.values()], partnersIn(added, removed)).size;
}

function partnersIn({ tests, by }: Unpaired, others: Unpaired): PackedResult[] {
  const lines = new Set<string>();
  for (const other of others.tests.values()) {
    for (const key of pairKeysOf(other)) for (const line of by.get(key) ?? []) lines.add(line);
  }
  return [...lines].map((line) => tests.get(line)!);
}

/** The first letters tell the two apart. */
function pairKeysOf(result: PackedResult): string[] {
  const suite = fileAndSuite(result);
  const title = `t${titleAndEnvironment(result)}`;
  return suite === null ? [title] : [title, `s${suite}`];
}
