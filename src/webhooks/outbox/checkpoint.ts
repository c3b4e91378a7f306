/** The fan-out's checkpoints: how far the messages of each partition have their deliveries. */
import { addMilliseconds } from '../../clock.js';
import type { Instant } from '../../domain/event.js';
import type { Message, OutboxPosition } from '../../domain/messages/message.js';
import { ALL_PARTITIONS, type Partition } from '../../domain/partition.js';
import type { State } from '../../ports/state.js';

/** `place`: an outbox position. */
export type FanOutCheckpoint = {
  partition: Partition;
  /** The deliveries of all messages of the partition up to here are recorded. */
  place: OutboxPosition;
  /** When the event of the message there happened. */
  at: Instant;
  /** After a restore of the log: deliveries of older messages are recorded, wherever the messages are. Else empty. */
  since: Instant;
  /** The version of the entry in State, `absent` before the first. */
  version: number | 'absent';
};

type StoredCheckpoint = Omit<FanOutCheckpoint, 'version' | 'partition'>;

const KIND = 'fan_out';

/** Before the first message. */
export const BEFORE_ALL: OutboxPosition = '';

/** The clocks of nodes may differ by this much, or an event may be appended this long after it happened. */
const SKEW_MS = 3_600_000;

const keyOf = (partition: Partition): string => `recorded/${partition}`;

const none = { value: { place: BEFORE_ALL, at: '', since: '' }, version: 'absent' } as const;

/** The checkpoint of every partition. */
export async function readCheckpoints(state: State): Promise<Map<Partition, FanOutCheckpoint>> {
  const entries = await state.list<StoredCheckpoint>(KIND, { limit: 2 * ALL_PARTITIONS.length });
  const stored = new Map(entries.map(({ key, value, version }) => [key, { value, version }]));
  return new Map(
    ALL_PARTITIONS.split('').map((partition) => {
      const { value, version } = stored.get(keyOf(partition)) ?? none;
      return [partition, { partition, ...value, version }];
    }),
  );
}

/**
 * Moves the checkpoint to a message. Null if another process has moved it since it was read: a leader that lost its
 * lease without noticing must not move it back.
 */
export async function moveCheckpoint(
  state: State,
  from: FanOutCheckpoint,
  { place, at }: Pick<Message, 'place' | 'at'>,
): Promise<FanOutCheckpoint | null> {
  return put(state, from, { place, at, since: at < from.since ? from.since : '' });
}

/**
 * Sets the checkpoint back to the start, for a log that ends before it: the log was restored from an older backup than
 * State, and its new events get positions that have recorded deliveries already. The messages from before the backup
 * are older than the last recorded one, so `since` leaves them out. Null as with `moveCheckpoint`.
 */
export async function resetCheckpoint(
  state: State,
  from: FanOutCheckpoint,
): Promise<FanOutCheckpoint | null> {
  return put(state, from, { place: BEFORE_ALL, at: from.at, since: addMilliseconds(from.at, -SKEW_MS) });
}

async function put(
  state: State,
  { partition, version: expected }: FanOutCheckpoint,
  entry: StoredCheckpoint,
): Promise<FanOutCheckpoint | null> {
  const version = await state.put(KIND, keyOf(partition), entry, { expected });
  return version === null ? null : { partition, ...entry, version };
}
