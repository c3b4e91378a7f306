/** The time that was lost to tests on a day, for its digest: of the tests of a day, nearly none lost any. */
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import type { LostChange } from '../../src/domain/statistics/commit-runs.js';
import type { Day } from '../../src/domain/statistics/days.js';
import { lostDayDocuments, lostDayId, type RunPlace } from './statistics-documents.js';

type LostTests = LostChange<RunPlace>['tests'];

/** Of one day: what is lost of more tests is in the sum of the project alone. */
const MOST_TESTS = 5_000;

export function lostDayRefs(projectId: string, lost: LostTests): DocumentRef[] {
  return [...byDay(lost).keys()].map((day) => lostDayDocuments.at(lostDayId(projectId, day)));
}

export function putLostDays(documents: Documents, projectId: string, lost: LostTests): void {
  for (const [day, changes] of byDay(lost)) {
    const id = lostDayId(projectId, day);
    const tests = new Map(Object.entries(documents.get(lostDayDocuments, id)?.tests ?? {}));
    for (const { ordinal, by } of changes) {
      const key = String(ordinal);
      if (!tests.has(key) && tests.size >= MOST_TESTS) continue;
      tests.set(key, (tests.get(key) ?? 0) + by);
    }
    // What is taken away of a test that found no place is less than nothing.
    const left = [...tests].filter(([, ms]) => ms > 0);
    if (left.length > 0) documents.put(lostDayDocuments, id, { tests: Object.fromEntries(left) });
    else documents.remove(lostDayDocuments, id);
  }
}

function byDay(lost: LostTests): Map<Day, LostTests> {
  const days = new Map<Day, LostTests>();
  for (const one of lost) {
    const own = days.get(one.place.day) ?? [];
    own.push(one);
    days.set(one.place.day, own);
  }
  return days;
}
