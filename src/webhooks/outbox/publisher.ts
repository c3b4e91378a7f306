/**
 * The publisher.
 *
 * Takes: the messages of the outbox, in order within each partition. Gives: the same messages on the bus. It may publish
 * a message more than once, and the bus may lose any: the fan-out drops repeats and finds lost messages in the outbox.
 * It stores no progress of its own. It starts at the fan-out's checkpoints, and goes back there if the bus has lost
 * anything, so a wiped bus costs only repeats.
 */
import { outbox } from '../../../projections/outbox.js';
import type { Clock } from '../../clock.js';
import { openNotifier } from '../../concurrency/notifier.js';
import type { Instant } from '../../domain/event.js';
import { asMessage, eventPositionOf, type OutboxPosition } from '../../domain/messages/message.js';
import { ALL_PARTITIONS, type Partition, type Partitions } from '../../domain/partition.js';
import type { Holder } from '../../leases/lease.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Bus } from '../../ports/bus.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import { BEFORE_ALL, readCheckpoints } from './checkpoint.js';
import { outgoingAfter } from './outgoing.js';

export type PublisherOptions = {
  views: ViewReader;
  state: State;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Called with every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /**
   * Calls its argument after every commit of the outbox, with the partitions that have new messages; returns the
   * unsubscribe. Without it, the publisher polls.
   */
  committed?: (wake: (partitions: Partitions) => void) => () => void;
};

/** The messages of one partition at a time: a partition with many messages takes turns with the others. */
const BATCH = 500;
const POLL_EVERY_MS = 200;
const CHECK_EVERY_MS = 1_000;

/** Publishes while it leads, until the signal. */
export async function runPublisher(options: PublisherOptions): Promise<void> {
  const { committed } = options;
  const progress = openProgress();
  const unsubscribe = committed?.(progress.hasNew);
  try {
    await runAsLeader({
      ...options,
      name: 'publisher',
      work: (_lease, ended) => publish(options, progress, ended),
    });
  } finally {
    unsubscribe?.();
  }
}

type Published = {
  place: OutboxPosition;
  /** Older messages are left out. Their deliveries are recorded, though the checkpoint is before them. */
  since: Instant;
};

/** How far each partition is published. Kept through faults: otherwise each would repeat all after the checkpoints. */
function openProgress() {
  const commits = openNotifier();
  /** The partitions that may have messages which are not published. */
  const unread = new Set<Partition>();
  return {
    published: new Map<Partition, Published>(),
    /** The last message on the bus, right after this publisher put it there. */
    lastOnBus: null as OutboxPosition | null,
    commits,
    unread,
    hasNew(partitions: Partitions): void {
      for (const partition of partitions) unread.add(partition);
      commits.notify();
    },
  };
}

type Progress = ReturnType<typeof openProgress>;

async function publish(options: PublisherOptions, progress: Progress, ended: AbortSignal): Promise<void> {
  const { commits, unread } = progress;
  const pollEveryMs = options.committed === undefined ? POLL_EVERY_MS : CHECK_EVERY_MS;
  for (let checkedAt = -Infinity; !ended.aborted;) {
    if (performance.now() - checkedAt >= CHECK_EVERY_MS) {
      await check(options, progress);
      checkedAt = performance.now();
    }
    // Counted before the reads: a commit right after them ends the wait at once.
    const seen = commits.count();
    // A partition that is not read to its end comes again in the next round.
    const round = [...unread];
    for (const partition of round) {
      unread.delete(partition);
      const isAll = await publishSome(options, progress, partition, ended);
      if (ended.aborted) return;
      if (!isAll) unread.add(partition);
    }
    if (unread.size > 0) continue;
    if ((await commits.wait(seen, pollEveryMs, ended)) === 'timeout') readAll(unread);
  }
}

function readAll(unread: Set<Partition>): void {
  for (const partition of ALL_PARTITIONS) unread.add(partition);
}

/** Publishes some messages of a partition. Returns whether these were all. */
async function publishSome(
  { views, bus }: PublisherOptions,
  progress: Progress,
  partition: Partition,
  ended: AbortSignal,
): Promise<boolean> {
  const { place, since } = progress.published.get(partition) ?? { place: BEFORE_ALL, since: '' };
  const messages = await outgoingAfter(views, { partition, place }, { limit: BATCH });
  const wanted = messages.filter(({ at }) => at >= since);
  if (ended.aborted) return false;
  if (wanted.length > 0) {
    await bus.publish(wanted.map(asMessage));
    progress.lastOnBus = await bus.last();
  }
  const last = messages.at(-1);
  if (last !== undefined) progress.published.set(partition, { place: last.place, since });
  return messages.length < BATCH;
}

/**
 * Decides where each partition goes on: mostly after its last published message. It goes on at the checkpoint instead
 * when that is further on, when the bus has lost messages, or when the published message is no longer in the outbox,
 * because the log was restored from a backup.
 */
async function check({ views, state, bus }: PublisherOptions, progress: Progress): Promise<void> {
  const { published, unread } = progress;
  const last = await bus.last();
  const isLost = last === null || last !== progress.lastOnBus;
  for (const [partition, { place: recorded, since }] of await readCheckpoints(state)) {
    const { place = BEFORE_ALL } = published.get(partition) ?? {};
    const goesOn = recorded < place && !isLost && (await isInOutbox(views, partition, place));
    published.set(partition, { place: goesOn ? place : recorded, since });
  }
  progress.lastOnBus = last;
  readAll(unread);
}

async function isInOutbox(views: ViewReader, partition: Partition, place: OutboxPosition): Promise<boolean> {
  return (await views.position(outbox.name, { partition })) >= eventPositionOf(place);
}
