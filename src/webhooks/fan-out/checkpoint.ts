/**
 * The outgoing messages of the publication, and the place up to which a delivery of each is recorded: where the
 * publisher begins, and what the fan-out has done.
 */
import { outbox, type MessageDocument } from '../../../projections/publication.js';
import type { Instant } from '../../domain/event.js';
import type { Message, OutboxPosition } from '../../domain/message.js';
import { ageMs, later, type Clock } from '../../clock.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';

export type FanOutCheckpoint = {
  place: OutboxPosition;
  /** When the message there happened. */
  at: Instant;
  /** After the log was put back: what happened before this is recorded, wherever it lies. Else empty. */
  since: Instant;
  /** Of its entry in State, `absent` before the first. */
  version: number | 'absent';
};

type Entry = Omit<FanOutCheckpoint, 'version'>;

/** Before the first message. */
export const BEFORE_ALL: OutboxPosition = '';

/** Clocks of several nodes, and a message that was appended some time after it happened, may differ by so much. */
const SKEW_MS = 3_600_000;

export async function readCheckpoint(state: State): Promise<FanOutCheckpoint> {
  const entry = await state.get<Entry>('publication', 'recorded');
  return entry === null
    ? { place: BEFORE_ALL, at: '', since: '', version: 'absent' }
    : { ...entry.value, version: entry.version };
}

/**
 * Moves on from what was read. Null where another has moved it since: a leader that lost its lease without noticing
 * must not move it back.
 */
export async function putCheckpoint(
  state: State,
  from: FanOutCheckpoint,
  { place, at }: Pick<Message, 'place' | 'at'>,
): Promise<FanOutCheckpoint | null> {
  return put(state, from, { place, at, since: at < from.since ? from.since : '' });
}

/**
 * Begins anew, for a log that ends before what is recorded: it was put back from an earlier backup than State, and what
 * it is told from now on lies at places that are recorded. What lies there from before the backup happened before what
 * was recorded last. Null as with `putRecorded`.
 */
export async function deleteCheckpoint(
  state: State,
  from: FanOutCheckpoint,
): Promise<FanOutCheckpoint | null> {
  return put(state, from, { place: BEFORE_ALL, at: from.at, since: later(from.at, -SKEW_MS) });
}

async function put(
  state: State,
  { version: expected }: FanOutCheckpoint,
  entry: Entry,
): Promise<FanOutCheckpoint | null> {
  const version = await state.put('publication', 'recorded', entry, { expected });
  return version === null ? null : { ...entry, version };
}

/** Messages with targets after a place, in order. Fewer than `limit`: there are no more by now. */
export async function outgoingAfter(
  views: ViewReader,
  after: OutboxPosition,
  { limit }: { limit: number },
): Promise<MessageDocument[]> {
  const { items } = await views.find(outbox, 'messages', {
    where: { outgoing: true },
    sort: { field: 'place', direction: 'ascending' },
    range: { from: after, exclusive: true },
    limit,
  });
  return items as unknown as MessageDocument[];
}

/** Seconds since the oldest message of which no delivery is recorded; 0 where there is none. */
export async function outboxLag(state: State, views: ViewReader, clock: Clock): Promise<number> {
  const { place } = await readCheckpoint(state);
  const [oldest] = await outgoingAfter(views, place, { limit: 1 });
  return oldest === undefined ? 0 : ageMs(clock, oldest.at) / 1_000;
}
