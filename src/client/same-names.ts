/**
 * Tests of one name in one call. Of the results with one name in a call, the service counts those with the highest
 * `attempt`, because retries of a test supersede each other. But two tests may have one name, such as in two files, and be
 * tried a different number of times: the failure of one would count for nothing beside the retries of the other.
 */

/** The results of one test in a call: their places, and the attempt of each. Numbers alone, since a run may have a million. */
export type TestOfCall = { name: string; places: number[]; attempts: number[] };

/**
 * Returns the attempts to send where those are others than the given ones, by the place of the result: the last attempt of
 * each test of a name gets the same number, the highest one.
 */
export function attemptsInCall(tests: Iterable<TestOfCall>): Map<number, number> {
  const byName = new Map<string, TestOfCall[]>();
  for (const test of tests) {
    const others = byName.get(test.name);
    if (others === undefined) byName.set(test.name, [test]);
    else others.push(test);
  }
  const changed = new Map<number, number>();
  for (const sameName of byName.values()) {
    if (sameName.length === 1) continue;
    const highest = highestOf(sameName.map(({ attempts }) => highestOf(attempts)));
    for (const { places, attempts } of sameName) {
      const missing = highest - highestOf(attempts);
      if (missing > 0) for (const [n, place] of places.entries()) changed.set(place, attempts[n]! + missing);
    }
  }
  return changed;
}

/** Gathers the tests of results that come one by one: those of a name whose attempts follow one another are one test. */
export function testsByOrder(): {
  add(place: number, name: string, attempt: number): void;
  tests(): TestOfCall[];
} {
  const last = new Map<string, TestOfCall>();
  const tests: TestOfCall[] = [];
  return {
    add(place, name, attempt) {
      let test = last.get(name);
      if (test === undefined || attempt !== test.attempts.at(-1)! + 1) {
        test = { name, places: [], attempts: [] };
        last.set(name, test);
        tests.push(test);
      }
      test.places.push(place);
      test.attempts.push(attempt);
    },
    tests: () => tests,
  };
}

/** A loop: a call takes only some 100,000 arguments. */
function highestOf(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}
