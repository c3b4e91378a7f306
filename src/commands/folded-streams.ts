/**
 * The folded states of streams. Those of recent ones are cached, and each read goes on from there, so a write sees all that any
 * node has answered before.
 */
import { LRUCache } from 'lru-cache';
import type { Decider, Happened } from '../domain/decider.js';
import type { EventType, Fact } from '../domain/events.js';
import type { NewEvent, RecordedEvent, StreamName } from '../domain/event.js';
import { evolved } from '../domain/redaction/purged.js';
import { coalesceByKey } from '../concurrency/coalesce.js';
import { forEachPage, readBulkOrigin } from '../log/streams.js';
import type { EventLog } from '../ports/event-log.js';
import { emptyWhenIdle } from '../memory/collect-when-idle.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

type CachedState = { state: unknown; revision: number };

const CACHE_BYTES = 8 * 1024 * 1024;

/** `keep`: the number of streams whose state is cached at most. */
export function openFoldedStreams(log: EventLog, keep: number) {
  const cache = new LRUCache<StreamName, CachedState>({
    max: keep,
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ state }) => estimateBytes(state),
  });
  emptyWhenIdle(cache);

  const joinRead = coalesceByKey<CachedState>();
  let forgotten: number | undefined;

  /** The states may say what was redacted since. */
  async function dropForgotten(asked: ReturnType<NonNullable<EventLog['forgotten']>>): Promise<void> {
    const now = await asked;
    if (now !== forgotten) cache.clear();
    forgotten = now;
  }

  /** `asOf`: what was forgotten when the read began. */
  function keepState(stream: StreamName, known: CachedState, asOf: number | undefined): void {
    if (asOf === forgotten) cache.set(stream, known);
  }

  /**
   * Many requests write under the same run and project at once. One read serves all callers that wait when it begins.
   */
  async function read<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const asked = log.forgotten?.();
    if (asked !== undefined && asked !== forgotten) await dropForgotten(asked);
    const cached = cache.get(stream);
    const last = cached && log.lastRevision?.(stream);
    if (last !== undefined && last <= cached!.revision) return { ...cached!, state: cached!.state as S };
    const { state, revision } = await joinRead(stream, () => readOn(decider, stream));
    return { state: state as S, revision };
  }

  /** Reads the events after the cached state. */
  async function readOn<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const cached = cache.get(stream);
    const asOf = forgotten;
    const from = cached ?? (await initialState(decider, stream));
    let state = from.state as S;
    let revision = from.revision;
    await forEachPage(log, stream, revision + 1, (events) => {
      for (const event of events) state = evolved(decider, state, asFact(event));
      revision = events.at(-1)!.revision;
    });
    const isNew = revision > from.revision || (cached === undefined && state !== decider.initial);
    // Each entry is measured, which takes its time for a run of a thousand shards.
    if (isNew) keepState(stream, { state, revision }, asOf);
    return { state, revision };
  }

  /** The state before the first event of the stream. A result of a bulk submission begins in another stream. */
  async function initialState<S, C, T extends EventType>(decider: Decider<S, C, T>, stream: StreamName) {
    const origin = await readBulkOrigin(log, stream);
    const state = origin === null ? decider.initial : evolved(decider, decider.initial, asFact(origin));
    return { state, revision: -1 };
  }

  /**
   * Returns the current state of a stream. With `mayBeBehind` it is the state that this process has in memory, if there is
   * one: other processes may have written since.
   */
  async function load<S, C, T extends EventType>(
    decider: Decider<S, C, T>,
    stream: StreamName,
    { mayBeBehind = false } = {},
  ): Promise<S> {
    const cached = mayBeBehind ? cache.get(stream) : undefined;
    return cached === undefined ? (await read(decider, stream)).state : (cached.state as S);
  }

  return { load, read, initialState, keepState, forgotten: () => forgotten };
}

/** The log returns what the deciders wrote. `VALIDATE_EVENTS` checks each append against its schema. */
export function asFact<T extends EventType>(event: NewEvent & Pick<RecordedEvent, 'position'>): Happened<T> {
  return event as typeof event & Fact<T>;
}
