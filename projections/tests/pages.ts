/**
 * Pages: the states of 64 tests in one document, because nearly every run changes the states of nearly all tests of a
 * suite, and a document for each took most of the time of the fold. Tests of a project have numbers in the order in which
 * they first came, so that those of one suite stand side by side. What the states of a page share, such as the commits of
 * results, is in a list of origins, which states name by number.
 */
import { collection, type OpenCollection } from '../../src/domain/projection.js';

/** `most`: with this many origins, those that no state names any more are left out. */
export type Page<S, O> = { origins: readonly O[]; most: number; states: readonly (S | null)[] };
/** As the fold works on it. */
export type OpenPage<S, O> = { origins: readonly O[]; most: number; states: (S | null)[] };

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

export function pageCollection<S, O>(name: string): OpenCollection<Page<S, O>, OpenPage<S, O>> {
  return {
    ...collection<Page<S, O>>({ name, ids: 'project', indexes: [] }),
    open: (stored) =>
      stored === null
        ? { origins: [], most: FEWEST, states: [] }
        : { origins: stored.origins, most: stored.most, states: [...stored.states] },
    close: ({ origins, most, states }) => ({ origins, most, states }),
  };
}

/** Sets the state of one test; null for a test without one. `origins`: those of the page, and more. */
export function setState<S, O>(
  page: OpenPage<S, O>,
  slot: number,
  { state, origins }: { state: S | null; origins: readonly O[] },
  naming: Naming<S>,
): void {
  const { states } = page;
  while (states.length < slot) states.push(null);
  states[slot] = state;
  page.origins = origins;
  if (origins.length >= page.most) shorten(page, naming);
}

function shorten<S, O>(page: OpenPage<S, O>, naming: Naming<S>): void {
  const { origins, states } = page;
  const used = new Set<number>();
  for (const state of states) {
    if (state !== null) for (const origin of naming.originsOf(state)) used.add(origin);
  }
  const kept = [...used].sort((one, other) => one - other);
  const numbers = new Map(kept.map((origin, n) => [origin, n]));
  page.origins = kept.map((origin) => origins[origin]!);
  page.most = Math.min(Math.max(FEWEST, 2 * kept.length), MOST);
  states.forEach((state, slot) => {
    if (state !== null) states[slot] = naming.renumbered(state, numbers);
  });
}
