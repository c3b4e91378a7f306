/**
 * The publisher, and how far the outbox is fanned out.
 *
 * Takes: the messages of the outbox, in order. Gives: the same messages, rendered, on the bus. It may publish a message
 * more than once, and the bus may lose any: the fan-out drops repeats and finds lost messages in the outbox. It stores
 * no progress of its own. It starts at the fan-out's checkpoint, and goes back there if the bus has lost anything, so a
 * wiped bus costs only repeats.
 */
import { ageMs, addMilliseconds, type Clock } from '../../clock.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
import { chunk } from '../../memory/chunk.js';
import type { Bus } from '../../ports/bus.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { messageDocuments, outbox, type MessageDocument } from '../../../projections/outbox.js';
import type { Instant } from '../../domain/event.js';
import { eventPositionOf, type Message, type OutboxPosition } from '../../domain/message.js';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';
import type { Render } from './payload.js';

export type PublisherOptions = {
  views: ViewReader;
  render: Render;
  state: State;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Called with every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** Calls its argument after every commit of the outbox; returns the unsubscribe. Without it, the publisher polls. */
  committed?: (wake: () => void) => () => void;
};

const BATCH = { count: 500, bytes: 4 * 1024 * 1024 };
const POLL_EVERY_MS = 200;
const CHECK_EVERY_MS = 1_000;

/** Publishes while it leads, until the signal. */
export async function runPublisher(options: PublisherOptions): Promise<void> {
  const { state, holder, clock, signal, report, committed } = options;
  const commits = openNotifier();
  const unsubscribe = committed?.(commits.notify);
  // Kept through faults: otherwise each fault would repeat all messages after the checkpoint.
  const progress: Progress = { published: BEFORE_ALL, since: '', checkedAt: -Infinity };
  try {
    await runAsLeader({
      name: 'publisher',
      state,
      holder,
      clock,
      signal,
      report,
      work: (_lease, ended) => {
        progress.checkedAt = -Infinity;
        return publish(options, progress, commits, ended);
      },
    });
  } finally {
    unsubscribe?.();
  }
}

/** `since`: older messages are left out. Their deliveries are recorded, though the checkpoint is before them. */
type Progress = { published: OutboxPosition; since: Instant; checkedAt: number };

async function publish(
  { views, render, state, bus, committed }: PublisherOptions,
  progress: Progress,
  commits: Notifier,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    if (performance.now() - progress.checkedAt >= CHECK_EVERY_MS) {
      Object.assign(progress, await nextPosition({ views, state, bus }, progress.published));
      progress.checkedAt = performance.now();
    }
    // Counted before the read: a commit right after the read ends the wait at once.
    const seen = commits.count();
    const messages = await outgoingAfter(views, progress.published, { limit: BATCH.count });
    const rendered = await render(messages.filter(({ at }) => at >= progress.since));
    for (const piece of chunk(rendered, BATCH, ({ body }) => body.length)) {
      if (ended.aborted) return;
      await bus.publish(piece);
      progress.published = piece.at(-1)!.place;
    }
    progress.published = messages.at(-1)?.place ?? progress.published;
    if (messages.length < BATCH.count) {
      await commits.wait(seen, committed === undefined ? POLL_EVERY_MS : CHECK_EVERY_MS, ended);
    }
  }
}

/**
 * After the published messages, in general. At the checkpoint, if that is further on, if the bus has lost a message, or
 * if a published message is no longer in the outbox because the log was restored from a backup.
 */
async function nextPosition(
  { views, state, bus }: Pick<PublisherOptions, 'views' | 'state' | 'bus'>,
  published: OutboxPosition,
): Promise<Omit<Progress, 'checkedAt'>> {
  const { place: recorded, since } = await readCheckpoint(state);
  if (recorded >= published) return { published: recorded, since };
  const last = await bus.last();
  const isLost = last === null || last < published;
  const isInOutbox = !isLost && (await views.position(outbox.name)) >= eventPositionOf(published);
  return { published: isInOutbox ? published : recorded, since };
}

// --- Reading the outbox ---------------------------------------------------------------------------------------------

/** Messages with targets after a position, in order. Fewer than `limit` means that there are no more yet. */
export async function outgoingAfter(
  views: ViewReader,
  after: OutboxPosition,
  { limit }: { limit: number },
): Promise<MessageDocument[]> {
  const { items } = await typedViews(views, outbox).find(messageDocuments, {
    where: { outgoing: true },
    sort: { field: 'place', direction: 'ascending' },
    range: { from: after, exclusive: true },
    limit,
  });
  return items;
}

/** The age in seconds of the oldest message without recorded deliveries; 0 if there is none. */
export async function outboxLag(state: State, views: ViewReader, clock: Clock): Promise<number> {
  const { place } = await readCheckpoint(state);
  const [oldest] = await outgoingAfter(views, place, { limit: 1 });
  return oldest === undefined ? 0 : ageMs(clock, oldest.at) / 1_000;
}

// --- The fan-out's checkpoint ---------------------------------------------------------------------------------------

/** The stored field names and the names of the entry in State are older than the terms outbox and checkpoint. */
export type FanOutCheckpoint = {
  /** The deliveries of all messages up to here are recorded. */
  place: OutboxPosition;
  /** When the event of the message there happened. */
  at: Instant;
  /** After a restore of the log: deliveries of older messages are recorded, wherever the messages are. Else empty. */
  since: Instant;
  /** The version of the entry in State, `absent` before the first. */
  version: number | 'absent';
};

type StoredCheckpoint = Omit<FanOutCheckpoint, 'version'>;

const [KIND, KEY] = ['publication', 'recorded'];

/** Before the first message. */
const BEFORE_ALL: OutboxPosition = '';

/** The clocks of nodes may differ by this much, or an event may be appended this long after it happened. */
const SKEW_MS = 3_600_000;

export async function readCheckpoint(state: State): Promise<FanOutCheckpoint> {
  const entry = await state.get<StoredCheckpoint>(KIND, KEY);
  return entry === null
    ? { place: BEFORE_ALL, at: '', since: '', version: 'absent' }
    : { ...entry.value, version: entry.version };
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
  { version: expected }: FanOutCheckpoint,
  entry: StoredCheckpoint,
): Promise<FanOutCheckpoint | null> {
  const version = await state.put(KIND, KEY, entry, { expected });
  return version === null ? null : { ...entry, version };
}
