/** Splits the results of a run over the calls that submit them. */
import { limits } from '../limits.js';
import { failCall } from './errors.js';
import type { SubmitItem } from './api.generated.js';

/** The results of one call, by their places in the run. */
export type Part = { places: readonly number[]; bytes: number };

/** A call also has the description of its run, of up to this size. */
const CALL_BYTES = limits.submissionBytes - limits.bodyBytes;

/**
 * Returns one part for a run that fits into one call, else as many as it needs. The results of a test that was retried
 * stay together, because only the results of one call supersede each other.
 * @throws TestledgerError `invalid_call` for retries of one test that do not fit into a call
 */
export function splitRun(results: readonly SubmitItem[]): Part[] {
  const parts: Part[] = [];
  let part: { places: number[]; bytes: number } = { places: [], bytes: 0 };
  for (const places of togetherIn(results)) {
    const bytes = places.reduce((sum, place) => sum + bytesOf(results[place]!), 0);
    const isFull =
      part.places.length + places.length > limits.itemsPerSubmission || part.bytes + bytes > CALL_BYTES;
    if (isFull && part.places.length > 0) {
      parts.push(part);
      part = { places: [], bytes: 0 };
    }
    if (places.length > limits.itemsPerSubmission || bytes > CALL_BYTES)
      failCall(`The results of "${results[places[0]!]!.name}" do not fit into one call.`);
    part.places.push(...places);
    part.bytes += bytes;
  }
  return [...parts, part];
}

/** The places of the results, those of a retried test at the place of its first one. */
function togetherIn(results: readonly SubmitItem[]): Iterable<number[]> {
  const retried = retriedIn(results);
  const groups = new Map<string | number, number[]>();
  for (const [place, { name }] of results.entries()) {
    const group = retried.has(name) ? name : place;
    const places = groups.get(group);
    if (places === undefined) groups.set(group, [place]);
    else places.push(place);
  }
  return groups.values();
}

/** The names with results of several attempts. Results of one name and attempt do not supersede each other. */
function retriedIn(results: readonly SubmitItem[]): ReadonlySet<string> {
  const attempts = new Map<string, number>();
  const retried = new Set<string>();
  for (const { name, attempt = 1 } of results) {
    if ((attempts.get(name) ?? attempt) !== attempt) retried.add(name);
    attempts.set(name, attempt);
  }
  return retried;
}

/** With the comma after it. */
function bytesOf(item: SubmitItem): number {
  return Buffer.byteLength(JSON.stringify(item)) + 1;
}
