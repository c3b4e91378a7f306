/**
 * Whether a shard that comes again has the items that the run has. A client that sends its body again sends the same
 * bytes, which their hash tells. One that writes the JSON anew may put names in another order: then the items themselves
 * are compared. So the first time, which is nearly always the only one, costs no more than the hash of the bytes.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { environmentKeyIn } from '../../domain/environment.js';
import { streamName } from '../../domain/event.js';
import type { EventData } from '../../domain/events.js';
import { joinContents, refsIn } from '../../domain/contents.js';
import { itemsIn, metaIn, type ItemChunk } from '../../domain/runs/item-chunk.js';
import type { Metadata } from '../../domain/runs/run.js';
import type { ReceivedShard } from '../../domain/runs/run-calls.js';
import { streamPages, type StreamReader } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import type { PackedChunk, Submission, SubmittedItem } from './submission.js';

/**
 * The SHA-256 of the JSON of a list of items, as it was sent, in hexadecimal digits. The same items in another environment are
 * others.
 */
export function itemsHash(list: Uint8Array, metadata: Metadata | null = null): string {
  return createHash('sha256').update(list).update(environmentKeyIn(metadata)).digest('hex');
}

/**
 * Compares the items of a submission with those of a shard that the run has, in their order, and the environment where the
 * call names one. The order of names in metadata does not count. Reads as many items as are equal, a page at a time.
 */
export async function hasSameItems(
  log: StreamReader & Pick<EventLog, 'limits'>,
  team: string,
  submission: Submission,
  { submission_id }: ReceivedShard,
): Promise<boolean> {
  const sent = itemsSent(submission, log, submission_id);
  const environment = environmentKeyIn(submission.metadata);
  try {
    for await (const events of streamPages(log, streamName('items', team, submission_id))) {
      for (const { data, meta } of events) {
        const { value } = await sent.next();
        if (environment !== '' && environment !== meta.facts?.environment) return false;
        if (value === undefined || !isSame(value, data as ItemData)) return false;
      }
    }
    return (await sent.next()).done === true;
  } finally {
    await sent.return();
  }
}

type ItemData = EventData['ResultSubmitted'];

async function* itemsSent(
  submission: Submission,
  { limits }: Pick<EventLog, 'limits'>,
  submission_id: string,
): AsyncGenerator<ItemData, void> {
  // What the items take from their run is not compared: the calls of a run need not describe it alike.
  const { project_id } = submission;
  const ofRun = { run_id: '', project_id, finished_at: '', branch: null, commit: null, environment: '' };
  const origin = { submission_id, ...ofRun };
  for await (const chunks of submission.appends(origin, limits, 0)) {
    for (const chunk of chunks) yield* wholeItems(chunk, submission_id);
  }
}

/** With the contents that were taken out of them. */
function wholeItems({ json, contents }: PackedChunk, submission_id: string): ItemData[] {
  const chunk = JSON.parse(json) as ItemChunk;
  const values = new Map(contents.map(({ hash, text }) => [hash, JSON.parse(text) as unknown]));
  return itemsIn(chunk, submission_id).map((data, n) => {
    const refs = refsIn(metaIn(chunk, {}, n));
    return refs === undefined ? data : joinContents(data, refs, (hash) => values.get(hash));
  });
}

/**
 * The fields of an item, whose finish follows from its start and duration, or is that of the call. A new field that is
 * missing here does not compile: a shard that comes again with another value in it would be taken for the same.
 */
const compared = Object.keys({
  test_name: true,
  status: true,
  attempt: true,
  started_at: true,
  execution_time_ms: true,
  error_message: true,
  metadata: true,
} satisfies Record<Exclude<keyof SubmittedItem, 'finished_at'>, true>) as (keyof SubmittedItem)[];

function isSame(one: ItemData, other: ItemData): boolean {
  return compared.every((name) => isDeepStrictEqual(one[name], other[name]));
}
