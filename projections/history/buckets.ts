/**
 * Buckets: the states of 64 tests in one document, because nearly every run changes the states of nearly all tests of a
 * suite, and a document for each took most of the time of the fold. Tests of a project have numbers in the order in which
 * they first came, so that those of one suite stand side by side. What the states of a bucket share, such as the commits of
 * results, is in a list of origins, which states name by number.
 */
import { collection, type OpenCollection } from '../../src/domain/projection.js';

/** `most`: with this many origins, those that no state names any more are left out. */
export type Bucket<S, O> = { origins: readonly O[]; most: number; states: readonly (S | null)[] };
/** As the fold works on it. */
export type OpenBucket<S, O> = { origins: readonly O[]; most: number; states: (S | null)[] };

const TESTS_PER_BUCKET = 64;
/** The fewest origins at which they are renumbered, which is not with each run, and the most, which entries can name. */
const [FEWEST, MOST] = [16, 7_000];

/** `number`: that of the test, or of its line, in its project. */
export type Place = { bucket: string; slot: number; number: number };

export function placeIn(projectId: string, number: number): Place {
  return {
    bucket: bucketId(projectId, Math.floor(number / TESTS_PER_BUCKET)),
    slot: number % TESTS_PER_BUCKET,
    number,
  };
}

const bucketId = rememberingLast((projectId: string, n: number) => `${projectId}#${n}`);

/**
 * Results come in the order of their tests, and each asks for its bucket a dozen times. The very same text is found without
 * reading it; to make and hash a new one each time was a tenth of the fold.
 */
export function rememberingLast<A, B>(make: (one: A, other: B) => string): (one: A, other: B) => string {
  let last: { one: A; other: B; made: string } | null = null;
  return (one, other) => {
    if (last?.one !== one || last.other !== other) last = { one, other, made: make(one, other) };
    return last.made;
  };
}

/** How states name their origins. */
export type Naming<S> = {
  originsOf(state: S): Iterable<number>;
  renumbered(state: S, numbers: ReadonlyMap<number, number>): S;
};

export function bucketCollection<S, O>(name: string): OpenCollection<Bucket<S, O>, OpenBucket<S, O>> {
  return {
    ...collection<Bucket<S, O>>({ name, ids: 'project', indexes: [] }),
    open: (stored) => {
      const { origins = [], most = FEWEST, states = [] } = stored ?? {};
      return { origins, most, states: [...states] };
    },
  };
}

/** Sets the state of one test; null for a test without one. `origins`: those of the bucket, and more. */
export function setState<S, O>(
  bucket: OpenBucket<S, O>,
  slot: number,
  { state, origins }: { state: S | null; origins: readonly O[] },
  naming: Naming<S>,
): void {
  const { states } = bucket;
  while (states.length < slot) states.push(null);
  states[slot] = state;
  bucket.origins = origins;
  if (origins.length >= bucket.most) shorten(bucket, naming);
}

function shorten<S, O>(bucket: OpenBucket<S, O>, naming: Naming<S>): void {
  const { origins, states } = bucket;
  const used = new Set<number>();
  for (const state of states) {
    if (state !== null) for (const origin of naming.originsOf(state)) used.add(origin);
  }
  const kept = [...used].sort((one, other) => one - other);
  const numbers = new Map(kept.map((origin, n) => [origin, n]));
  bucket.origins = kept.map((origin) => origins[origin]!);
  bucket.most = Math.min(Math.max(FEWEST, 2 * kept.length), MOST);
  states.forEach((state, slot) => {
    if (state !== null) states[slot] = naming.renumbered(state, numbers);
  });
}
