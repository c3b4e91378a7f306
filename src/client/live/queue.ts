/** Tests that wait to be posted, in the order in which they ended, with a bound in bytes. */
import { attemptsInCall, type NamedAttempt } from '../same-names.js';
import { writtenItem, type LiveAttachment, type LiveItem } from './item.js';

/** A test with all its attempts. They go in one call, because only results of one call supersede each other. */
export type QueuedTest = {
  /** The items as JSON, with commas between them: it is made once, and has less memory than the items. */
  json: string;
  results: number;
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

export function liveQueue(mostBytes: number): LiveQueue {
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
      const test = queuedTest(attempts);
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

function queuedTest(attempts: readonly LiveItem[]): QueuedTest {
  const json = attempts.map(writtenItem).join(',');
  const attachments = attempts.flatMap(attachmentsOf);
  const files = attachments.reduce(
    (sum, { attachment }) => sum + ('body' in attachment ? attachment.body.length : 0),
    0,
  );
  const bytes = Buffer.byteLength(json) + attempts.length * OVERHEAD_BYTES + files;
  return { json, results: attempts.length, attachments, bytes };
}

/** The tests as they go in one call: several may have one name, and be tried a different number of times. */
function inOneCall(batch: QueuedTest[]): QueuedTest[] {
  if (batch.every(({ results }) => results === 1)) return batch;
  const items = batch.map(({ json }) => JSON.parse(`[${json}]`) as NamedAttempt[]);
  const attempts = attemptsInCall(items.flat().entries());
  if (attempts.size === 0) return batch;
  let place = 0;
  return batch.map((test, n) => {
    let isChanged = false;
    for (const item of items[n]!) {
      const attempt = attempts.get(place);
      if (attempt !== undefined) [item.attempt, isChanged] = [attempt, true];
      place += 1;
    }
    return isChanged ? { ...test, json: items[n]!.map((item) => JSON.stringify(item)).join(',') } : test;
  });
}

function attachmentsOf({ attachments = [] }: LiveItem, place: number): QueuedTest['attachments'] {
  return attachments.map((attachment) => ({ place, attachment }));
}
