/**
 * Tests of one name in one call. Of the results with one name in a call, the service counts those with the highest
 * `attempt`, because retries of a test supersede each other. But two tests may have one name, such as in two files, and be
 * tried a different number of times: the failure of one would count for nothing beside the retries of the other.
 */

export type NamedAttempt = { name: string; attempt?: number | undefined };

/** The results of one test: those of a name whose attempts follow one another. */
type Test = { places: number[]; last: number };

/**
 * Returns the attempts to send where those are others than the given ones, by the place of the result: the last attempt of
 * each test of a name gets the same number, the highest one. `results`: in their order, by place.
 */
export function attemptsInCall(
  results: Iterable<readonly [place: number, NamedAttempt]>,
): Map<number, number> {
  const byName = new Map<string, Test[]>();
  for (const [place, { name, attempt = 1 }] of results) {
    let tests = byName.get(name);
    if (tests === undefined) byName.set(name, (tests = []));
    const test = tests.at(-1);
    if (test !== undefined && attempt === test.last + 1) {
      test.places.push(place);
      test.last = attempt;
    } else tests.push({ places: [place], last: attempt });
  }
  const attempts = new Map<number, number>();
  for (const tests of byName.values()) {
    if (tests.length === 1) continue;
    const highest = tests.reduce((most, { last }) => Math.max(most, last), 0);
    for (const { places, last } of tests) {
      if (last === highest) continue;
      for (const [n, place] of places.entries()) attempts.set(place, highest - places.length + 1 + n);
    }
  }
  return attempts;
}
