/**
 * The states of streams as they were at a position of the log, for payloads. Messages ask for the states of a few
 * streams in the order of the log, so each fold begins at a recent state of the stream. Otherwise every message about a
 * run or a result would read all events before it.
 */
import { LRUCache } from 'lru-cache';
import { openSerializeByKey } from '../../concurrency/serialize-by-key.js';
import {
  logPosition,
  START,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../../domain/event.js';
import { readBulkBeginning, streamPages } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';

/**
 * Returns the state of a stream at a position. `call`: any object that stands for one call of the renderer, all of
 * whose messages are in the log already. @throws AppError `log_unavailable`
 */
export type StateAsOf<S> = (stream: StreamName, at: Position, call: object) => Promise<S>;

export type ForgettingLog = Pick<EventLog, 'readStream' | 'forgotten'>;

type Fold<S> = {
  initial: S;
  evolve(state: S, event: RecordedEvent): S;
  /** Whether no reader ever sees this state without the event after it: both were appended at once. */
  needsNext?(state: S): boolean;
};

type Snapshot<S> = {
  state: S;
  revision: number;
  /** The state holds from this position on. */
  from: Position;
  /** It holds before this position, that of the next event. Null if the stream had no next event. */
  next: Position | null;
  /** The call that found no next event. */
  call: object;
  size: number;
};

/** Messages are rendered up to 32 at once, so their positions do not come quite in order. */
const KEPT_OF_ONE_STREAM = 8;
/** After a recent state, a message seldom needs more. A full page of a busy stream would be read for each message. */
const EVENTS_AFTER_SNAPSHOT = 16;
const PAGE = 1_000;

/** `bytes`: the size of the states that are kept. */
export function openStateAsOf<S>(log: ForgettingLog, fold: Fold<S>, bytes: number): StateAsOf<S> {
  const kept = new LRUCache<StreamName, Snapshot<S>[]>({
    maxSize: bytes,
    sizeCalculation: (snapshots) => snapshots.reduce((sum, { size }) => sum + size, 1),
  });
  const serialize = openSerializeByKey();
  let forgotten: number | undefined;

  async function foldUpTo(
    stream: StreamName,
    at: Position,
    call: object,
    begin: Pick<Snapshot<S>, 'state' | 'revision' | 'from'>,
  ): Promise<Snapshot<S>> {
    let { state, revision, from } = begin;
    const limit = revision === -1 ? PAGE : EVENTS_AFTER_SNAPSHOT;
    const snapshot = (next: Position | null): Snapshot<S> => {
      return { state, revision, from, next, call, size: estimateBytes(state) };
    };
    for await (const events of streamPages(log, stream, revision + 1, limit)) {
      for (const event of events) {
        const joined = fold.needsNext?.(state) === true;
        if (event.position > at && !joined) return snapshot(event.position);
        if (!joined) from = event.position;
        state = fold.evolve(state, event);
        ({ revision } = event);
      }
    }
    return snapshot(null);
  }

  const latestOf = (stream: StreamName, at: Position): Snapshot<S> | undefined =>
    kept.get(stream)?.findLast(({ from }) => from <= at);
  const holds = ({ next, call: found }: Snapshot<S>, at: Position, call: object): boolean =>
    next === null ? found === call : next > at;

  return async (stream, position, call) => {
    // The position of an item counts as that of the event before the items: they exist together.
    const at = logPosition(position);
    const asOf = await log.forgotten?.();
    // The states may say what was redacted since.
    if (asOf !== forgotten) kept.clear();
    forgotten = asOf;
    // Most messages wait for no other: their run is known, and their result began in a submission.
    const known = latestOf(stream, at);
    if (known !== undefined && holds(known, at, call)) return known.state;
    const bulk = known === undefined ? await readBulkBeginning(log, stream) : null;
    const initial = bulk === null ? fold.initial : fold.evolve(fold.initial, bulk.origin);
    // Nothing in the stream is as old as that: most messages about a submitted result need no look at it. The state is
    // not kept, because without that look it is unknown up to where it holds.
    if (bulk !== null && at <= bulk.since) return initial;
    return serialize(stream, async () => {
      const latest = latestOf(stream, at) ?? known;
      if (latest !== undefined && holds(latest, at, call)) return latest.state;
      const snapshots = kept.get(stream) ?? [];
      const begin = latest ?? { state: initial, revision: -1, from: START };
      const found = await foldUpTo(stream, at, call, begin);
      const others = snapshots.filter(({ revision }) => revision !== found.revision);
      const all = [...others, found].sort((one, other) => one.revision - other.revision);
      if (asOf === forgotten) kept.set(stream, all.slice(-KEPT_OF_ONE_STREAM));
      return found.state;
    });
  };
}
