/**
 * The attempt of the shard that each new result belongs to. The event of a result does not carry it: that of the call
 * which submitted the result does, and a retry belongs to the attempt whose result it retries.
 */
import { LRUCache } from 'lru-cache';
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { bulkOriginOf } from '../../domain/ids.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import { streamPages, type StreamReader } from '../../log/streams.js';

/** By the event with which a result of the batch begins. Null for a result of a run without shards. */
export type ShardAttemptOf = (event: RecordedEvent) => number | null;

type Creation = Extract<LedgerEvent, { type: 'ResultCreated' | 'ResultSubmitted' }>;

/** Calls whose results are coming, or are retried. One takes some 200 bytes. */
const MOST_CALLS = 10_000;
const READS_AT_ONCE = 32;

/**
 * Takes batches of the feed in order. A call comes before its results, so the log is read only after a restart, and for
 * retries. @throws LedgerError `log_unavailable`
 */
export function openShardAttempts(
  log: StreamReader,
): (events: readonly RecordedEvent[]) => Promise<ShardAttemptOf> {
  /** By the submission of a call for a run with a key. */
  const calls = new LRUCache<string, { attempt: number | null }>({ max: MOST_CALLS });

  function remember({ submission_id, shard }: EventData['ItemsSubmitted']): void {
    calls.set(submission_id, { attempt: shard?.attempt ?? null });
  }

  async function ofCall(team: string, runId: string, submission: string): Promise<number | null> {
    // A run without a key has the id of its only submission, and no shards.
    if (submission === runId) return null;
    if (!calls.has(submission)) {
      for await (const events of streamPages(log, streamName('run', team, runId))) {
        for (const { type, data } of events as LedgerEvent[]) if (type === 'ItemsSubmitted') remember(data);
      }
    }
    return calls.get(submission)?.attempt ?? null;
  }

  async function read(event: Creation): Promise<number | null> {
    const { team, id } = parseStreamName(event.stream);
    if (event.type === 'ResultSubmitted') return ofCall(team, event.data.run_id, id);
    const { run_id, retry_of } = event.data;
    // A retry may retry a retry.
    for (let retried = retry_of; retried !== null && run_id !== null;) {
      const origin = bulkOriginOf(retried);
      if (origin !== null) return ofCall(team, run_id, origin.submission_id);
      const [first] = (await log.readStream(streamName('result', team, retried), { limit: 1 })).events;
      retried = first?.type === 'ResultCreated' ? (first.data as EventData['ResultCreated']).retry_of : null;
    }
    return null;
  }

  return async (events) => {
    const found = new Map<StreamName, number | null>();
    const unknown: Creation[] = [];
    let last: StreamName | null = null;
    for (const event of events as LedgerEvent[]) {
      if (event.type === 'ItemsSubmitted') remember(event.data);
      else if (event.type === 'ResultCreated' && event.data.retry_of !== null) unknown.push(event);
      // The items of a submission come one after the other.
      if (event.type !== 'ResultSubmitted' || event.stream === last) continue;
      last = event.stream;
      const { id } = parseStreamName(event.stream);
      const call = calls.get(id);
      if (call !== undefined) found.set(event.stream, call.attempt);
      else if (id !== event.data.run_id) unknown.push(event);
    }
    await forEachConcurrent(unknown, READS_AT_ONCE, async (event) => {
      found.set(event.stream, await read(event));
    });
    return ({ stream }) => found.get(stream) ?? null;
  };
}
