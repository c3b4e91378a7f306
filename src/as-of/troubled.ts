/**
 * Which tests of a project need their whole history to be shown as of a moment. All others only ever passed or were skipped,
 * at their first attempt, in submissions, and nobody said anything of them: of these, a run shows its line in a comparison and
 * its result, which follow from the item alone. They are nearly all tests, and most of what a fold costs.
 */
import type { RecordedEvent } from '../domain/event.js';
import { isChunk, statusIn, valueIn, type ItemChunk } from '../domain/runs/item-chunk.js';
import { testIdOf } from '../domain/test-history/test.js';

export type TroubledTests = {
  /** Takes the events in order, before any question. */
  add(event: RecordedEvent): void;
  /** Whether an item of a chunk is of one of them. */
  has(chunk: ItemChunk, n: number): boolean;
};

/** `also`: a test that is asked for, or all. */
export function troubledTests(also: string | null): TroubledTests {
  const names = new Set<string>();
  const ids = new Set<string>(also === null || also === 'all' ? [] : [also]);
  /** Of names that are not among those. Their ids are hashes, so each is made once. */
  const byId = new Map<string, boolean>();

  function addChunk(chunk: ItemChunk): void {
    const { status, attempt, test_id, first, count } = chunk;
    for (const related of [chunk.superseded_by, chunk.supersedes, chunk.replaces, chunk.replaced_by])
      for (const ordinal of Object.keys(related ?? {}))
        names.add(valueIn(chunk.test_name, Number(ordinal) - first));
    if (isQuiet(status) && attempt === 1 && test_id === undefined) return;
    for (let n = 0; n < count; n += 1) {
      if (!isQuiet(statusIn(chunk, n)) || valueIn(attempt, n) !== 1) names.add(valueIn(chunk.test_name, n));
      const id = test_id === undefined ? null : valueIn(test_id, n);
      if (id !== null) ids.add(id);
    }
  }

  return {
    add(event) {
      if (isChunk(event)) return addChunk(event.data);
      const said = event.data as { test_name?: string; test_id?: string };
      const facts = (event.meta.facts ?? {}) as typeof said;
      for (const { test_name, test_id } of [said, facts]) {
        if (typeof test_name === 'string') names.add(test_name);
        if (typeof test_id === 'string') ids.add(test_id);
      }
    },
    has(chunk, n) {
      const name = valueIn(chunk.test_name, n);
      const own = chunk.test_id === undefined ? null : valueIn(chunk.test_id, n);
      if (also === 'all' || own !== null || names.has(name)) return true;
      if (ids.size === 0) return false;
      let isKnown = byId.get(name);
      if (isKnown === undefined) byId.set(name, (isKnown = ids.has(testIdOf(chunk.project_id, name))));
      return isKnown;
    },
  };
}

function isQuiet(status: unknown): boolean {
  return status === 'Passed' || status === 'Skipped';
}
