/** Tests that wait to be posted, in the order in which they ended, with a bound in bytes. */
import { attemptsInCall, type TestOfCall } from '../same-names.js';
import type { Masker } from '../masking/masker.js';
import { maskedName, writtenItem, type LiveAttachment, type LiveItem } from './item.js';

/** A test with all its attempts. They go in one call, because only results of one call supersede each other. */
export type QueuedTest = {
  /** The items as JSON, with commas between them: it is made once, and has less memory than the items. */
  json: string;
  results: number;
  /** That of all its results. */
  name: string;
  /** Of its results, in their order. */
  attempts: readonly number[];
  /** By the place of their item. */
  attachments: readonly { place: number; attachment: LiveAttachment }[];
  bytes: number;
};

export type LiveQueue = {
  /** False where there is no room: the test is then lost. */
  add(attempts: readonly LiveItem[]): boolean;
  /** Takes tests from the front: at least one where there is one, and no more than these bounds allow. */
  take(most: Bounds): QueuedTest[];
  readonly results: number;
  readonly bytes: number;
};

export type Bounds = { results: number; bytes: number };

/** A test in memory: its object and its place in the queue, beside its content. */
const OVERHEAD_BYTES = 200;

export function liveQueue(mostBytes: number, masker: Masker): LiveQueue {
  let waiting: QueuedTest[] = [];
  let bytes = 0;
  let results = 0;
  return {
    get results() {
      return results;
    },
    get bytes() {
      return bytes;
    },
    add(attempts) {
      const test = queuedTest(attempts, masker);
      if (bytes + test.bytes > mostBytes) return false;
      waiting.push(test);
      bytes += test.bytes;
      results += test.results;
      return true;
    },
    take(most) {
      // Counted, and cut off once at the end: each shift of a long array would move all the others.
      let taken = 0;
      const batch: QueuedTest[] = [];
      let batchResults = 0;
      let batchBytes = 0;
      for (let next = waiting[taken]; next !== undefined; next = waiting[taken]) {
        const isFull = batchResults + next.results > most.results || batchBytes + next.bytes > most.bytes;
        if (isFull && batch.length > 0) break;
        batch.push(next);
        batchResults += next.results;
        batchBytes += next.bytes;
        taken += 1;
      }
      bytes -= batchBytes;
      results -= batchResults;
      waiting = waiting.slice(taken);
      return inOneCall(batch);
    },
  };
}

/** One list for nearly all tests. */
const once: readonly number[] = [1];

function queuedTest(attempts: readonly LiveItem[], masker: Masker): QueuedTest {
  const json = attempts.map((item) => writtenItem(item, masker)).join(',');
  const attachments = attempts.flatMap(attachmentsOf);
  const files = attachments.reduce(
    (sum, { attachment }) => sum + ('body' in attachment ? attachment.body.length : 0),
    0,
  );
  const bytes = Buffer.byteLength(json) + attempts.length * OVERHEAD_BYTES + files;
  const [first] = attempts;
  const isTriedOnce = attempts.length === 1 && (first?.attempt ?? 1) === 1;
  const numbers = isTriedOnce ? once : attempts.map(({ attempt = 1 }) => attempt);
  return {
    json,
    results: attempts.length,
    name: maskedName(first?.name ?? '', masker),
    attempts: numbers,
    attachments,
    bytes,
  };
}

/** The tests as they go in one call: several may have one name, and be tried a different number of times. */
function inOneCall(batch: QueuedTest[]): QueuedTest[] {
  if (batch.every(({ results }) => results === 1)) return batch;
  let place = 0;
  const tests = batch.map(({ name, attempts }): TestOfCall => {
    const places = attempts.map(() => place++);
    return { name, places, attempts: [...attempts] };
  });
  const changed = attemptsInCall(tests);
  if (changed.size === 0) return batch;
  return batch.map((test, n) => {
    const { places } = tests[n]!;
    if (!places.some((each) => changed.has(each))) return test;
    const items = JSON.parse(`[${test.json}]`) as { attempt?: number }[];
    const sent = items.map((item, at) => JSON.stringify({ ...item, attempt: changed.get(places[at]!) }));
    return { ...test, json: sent.join(',') };
  });
}

function attachmentsOf({ attachments = [] }: LiveItem, place: number): QueuedTest['attachments'] {
  return attachments.map((attachment) => ({ place, attachment }));
}
