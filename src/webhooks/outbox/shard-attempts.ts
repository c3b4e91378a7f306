/**
 * The attempt of the shard that each new result belongs to. The event of a result does not carry it: that of the call
 * which submitted the result does, and a retry belongs to the attempt whose result it retries.
 */
import { LRUCache } from 'lru-cache';
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../../domain/event.js';
import type { EventData, LedgerEvent } from '../../domain/events.js';
import { bulkOriginOf } from '../../domain/ids.js';
import { streamPages, type StreamReader } from '../../log/streams.js';

/** By the event with which a result of the batch begins. Null for a result of a run without shards. */
export type ShardAttemptOf = (event: RecordedEvent) => number | null;

type Creation = Extract<LedgerEvent, { type: 'ResultCreated' | 'ResultSubmitted' }>;
type Known = { attempt: number | null };

/** Calls whose results are coming, or are retried. One takes some 200 bytes, as a result does. */
const MOST_CALLS = 10_000;
/** Results that were recorded one by one, and may be retried. */
const MOST_RESULTS = 20_000;
const NONE: Known = { attempt: null };

/**
 * Takes batches of the feed in order. A call comes before its results, and a result before its retry, so the log is read
 * only for what came long ago, or before a restart. @throws LedgerError `log_unavailable`
 */
export function openShardAttempts(
  log: StreamReader,
): (events: readonly RecordedEvent[]) => Promise<ShardAttemptOf> {
  /** By the submission of a call for a run with a key. */
  const calls = new LRUCache<string, Known>({ max: MOST_CALLS });
  /** By the id of a result that was recorded by itself. Without it, each of many retries would read all before it. */
  const results = new LRUCache<string, Known>({ max: MOST_RESULTS });

  function rememberCall({ submission_id, shard }: EventData['ItemsSubmitted']): void {
    calls.set(submission_id, { attempt: shard?.attempt ?? null });
  }

  /** Undefined where it has to be read. */
  function knownOf(resultId: string, runId: string): Known | undefined {
    const origin = bulkOriginOf(resultId);
    return origin === null ? results.get(resultId) : knownOfCall(origin.submission_id, runId);
  }

  /** A run without a key has the id of its only submission, and no shards. */
  function knownOfCall(submission: string, runId: string): Known | undefined {
    return submission === runId ? NONE : calls.get(submission);
  }

  function knownOfNew(event: Creation): Known | undefined {
    if (event.type === 'ResultSubmitted')
      return knownOfCall(parseStreamName(event.stream).id, event.data.run_id);
    const { run_id, retry_of } = event.data;
    return retry_of === null || run_id === null ? NONE : knownOf(retry_of, run_id);
  }

  async function readCall(team: string, runId: string, submission: string): Promise<Known> {
    for await (const events of streamPages(log, streamName('run', team, runId))) {
      for (const { type, data } of events as LedgerEvent[]) if (type === 'ItemsSubmitted') rememberCall(data);
    }
    return calls.get(submission) ?? NONE;
  }

  /** A retry may retry a retry, and so on. */
  async function readRetried(team: string, runId: string, resultId: string): Promise<Known> {
    const passed: string[] = [];
    let retried: string | null = resultId;
    let found: Known | undefined;
    while (retried !== null && (found = knownOf(retried, runId)) === undefined) {
      const origin = bulkOriginOf(retried);
      if (origin !== null) {
        found = await readCall(team, runId, origin.submission_id);
        break;
      }
      passed.push(retried);
      retried = await retriedBy(team, retried);
    }
    for (const id of passed) results.set(id, found ?? NONE);
    return found ?? NONE;
  }

  /** The result that a result retries; null for one that retries none. */
  async function retriedBy(team: string, resultId: string): Promise<string | null> {
    const [first] = (await log.readStream(streamName('result', team, resultId), { limit: 1 })).events;
    return first?.type === 'ResultCreated' ? (first.data as EventData['ResultCreated']).retry_of : null;
  }

  async function read(event: Creation): Promise<Known> {
    const { team, id } = parseStreamName(event.stream);
    return event.type === 'ResultSubmitted'
      ? readCall(team, event.data.run_id, id)
      : readRetried(team, event.data.run_id!, event.data.retry_of!);
  }

  return async (events) => {
    const found = new Map<StreamName, number | null>();
    let last: StreamName | null = null;
    for (const event of events as LedgerEvent[]) {
      if (event.type === 'ItemsSubmitted') rememberCall(event.data);
      if (event.type !== 'ResultSubmitted' && event.type !== 'ResultCreated') continue;
      // The items of a submission come one after the other.
      if (event.stream === last) continue;
      last = event.stream;
      const known = knownOfNew(event) ?? (await read(event));
      if (event.type === 'ResultCreated') results.set(event.data.result_id, known);
      if (known.attempt !== null) found.set(event.stream, known.attempt);
    }
    return ({ stream }) => found.get(stream) ?? null;
  };
}
