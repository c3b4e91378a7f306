/**
 * Pages: the states of 64 tests in one document, because nearly every run changes the states of nearly all tests of a
 * suite, and a document for each took most of the time of the fold. Tests of a project have numbers in the order in which
 * they first came, so that those of one suite stand side by side. What the states of a page share, such as the commits of
 * results, is in a list of origins, which states name by number.
 */

/** `most`: with this many origins, those that no state names any more are left out. */
export type Page<S, O> = { origins: readonly O[]; most: number; states: readonly (S | null)[] };

export const TESTS_PER_PAGE = 64;
/** At least so many origins, so that they are not renumbered with each run; at most as many as entries can name. */
const [FEWEST, MOST] = [16, 7_000];

export type Place = { page: string; slot: number };

/** `number`: that of the test in its project. */
export function placeIn(projectId: string, number: number): Place {
  return { page: `${projectId}#${Math.floor(number / TESTS_PER_PAGE)}`, slot: number % TESTS_PER_PAGE };
}

/** How states name their origins. */
export type Naming<S> = {
  originsOf(state: S): Iterable<number>;
  renumbered(state: S, numbers: ReadonlyMap<number, number>): S;
};

/** The page with another state of one test; null for a test without one. `origins`: those of the page, and more. */
export function withState<S, O>(
  page: Page<S, O> | null,
  slot: number,
  changed: { state: S | null; origins: readonly O[] },
  naming: Naming<S>,
): Page<S, O> {
  const { most, states } = page ?? { most: FEWEST, states: [] };
  const next: (S | null)[] = [...states];
  while (next.length < slot) next.push(null);
  next[slot] = changed.state;
  const { origins } = changed;
  return origins.length < most ? { origins, most, states: next } : shortened(next, origins, naming);
}

function shortened<S, O>(states: (S | null)[], origins: readonly O[], naming: Naming<S>): Page<S, O> {
  const used = new Set<number>();
  for (const state of states) {
    if (state !== null) for (const origin of naming.originsOf(state)) used.add(origin);
  }
  const kept = [...used].sort((one, other) => one - other);
  const numbers = new Map(kept.map((origin, n) => [origin, n]));
  return {
    origins: kept.map((origin) => origins[origin]!),
    most: Math.min(Math.max(FEWEST, 2 * kept.length), MOST),
    states: states.map((state) => (state === null ? null : naming.renumbered(state, numbers))),
  };
}
