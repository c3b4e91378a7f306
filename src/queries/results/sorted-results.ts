/**
 * The order of the results of a run by status or duration. A run may have a million of them: of each only one number is kept, its
 * key and its place in one, and those are sorted as numbers.
 */
import {
  durationIn,
  statusIn,
  type FinalWord,
  type PackedResult,
} from '../../domain/comparison/packed-line.js';
import { RESULTS_PER_CHUNK } from '../../domain/comparison/packed-results.js';

/** `asc` by status: what failed comes first. A result without a duration comes before all others where they rise. */
export type ResultSorting = { sort: 'status' | 'duration'; order: 'asc' | 'desc' };

const ranks: Readonly<Record<FinalWord, number>> = { failed: 0, known_fail: 1, skipped: 2, passed: 3 };
/** More than a run can have. With a key below 2 ** 31, the number is exact. */
const PLACES = 2 ** 22;
const MOST_KEY = 2 ** 31 - 1;

/** A result with the number of its chunk, and its place there. */
export type PlacedResult = Place & { result: PackedResult };

type Place = { chunk: number; n: number };

export function openSorted({ sort, order }: ResultSorting) {
  const numbers: number[] = [];
  return {
    add({ result, chunk, n }: PlacedResult): void {
      const key = keyOf(result, sort);
      const sorted = order === 'asc' ? key : MOST_KEY - key;
      numbers.push(sorted * PLACES + chunk * RESULTS_PER_CHUNK + n);
    },
    page(offset: number, limit: number): { places: Place[]; total: number } {
      const sorted = Float64Array.from(numbers)
        .sort()
        .subarray(offset, offset + limit);
      const places = Array.from(sorted, (number) => {
        const place = number % PLACES;
        return { chunk: Math.floor(place / RESULTS_PER_CHUNK), n: place % RESULTS_PER_CHUNK };
      });
      return { places, total: numbers.length };
    },
  };
}

function keyOf(result: PackedResult, sort: ResultSorting['sort']): number {
  switch (sort) {
    case 'status':
      return ranks[statusIn(result) ?? 'passed'];
    case 'duration': {
      const duration = durationIn(result);
      return duration === null ? 0 : Math.min(duration + 1, MOST_KEY);
    }
  }
}
