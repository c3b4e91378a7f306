/**
 * The publisher: puts every outgoing message of the publication on the bus, in order. What it put is never noted: it
 * begins where deliveries are recorded, and goes back there where the bus has lost anything, so that a bus that was
 * wiped costs nothing but a repeat, which the fan-out drops.
 */
import type { Clock } from '../../clock.js';
import { runAsLeader, type LeaderFault } from '../../leases/run-as-leader.js';
import type { Holder } from '../../leases/lease.js';
import { chunk } from '../../memory/chunk.js';
import type { Bus } from '../../ports/bus.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import type { Render } from './rendering.js';
import { outbox } from '../../../projections/publication.js';
import { BEFORE_ALL, outgoingAfter, readCheckpoint } from '../fan-out/checkpoint.js';
import type { Instant } from '../../domain/event.js';
import { eventPositionOf, type OutboxPosition } from '../../domain/message.js';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';

export type PublisherOptions = {
  views: ViewReader;
  render: Render;
  state: State;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** Calls with every commit of the publication; answers what ends that. Without it, the publisher looks for itself. */
  committed?: (wake: () => void) => () => void;
};

const BATCH = { count: 500, bytes: 4 * 1024 * 1024 };
const LOOKS_EVERY_MS = 200;
const CHECKS_EVERY_MS = 1_000;

/** Publishes while it leads, until the signal. */
export async function runPublisher(options: PublisherOptions): Promise<void> {
  const { state, holder, clock, signal, report, committed } = options;
  const commits = openNotifier();
  const unsubscribe = committed?.(commits.notify);
  // Kept through faults: each would repeat all that no delivery is recorded of yet.
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

/** What happened before `since` is left out: deliveries of it are recorded, though not by place. */
type Progress = { published: OutboxPosition; since: Instant; checkedAt: number };

async function publish(
  { views, render, state, bus, committed }: PublisherOptions,
  progress: Progress,
  commits: Notifier,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    if (performance.now() - progress.checkedAt >= CHECKS_EVERY_MS) {
      Object.assign(progress, await whereToGoOn({ views, state, bus }, progress.published));
      progress.checkedAt = performance.now();
    }
    // Counted before the look, so that what is committed right after it is not slept through.
    const seen = commits.count();
    const messages = await outgoingAfter(views, progress.published, { limit: BATCH.count });
    for (const piece of chunk(
      await render(messages.filter(({ at }) => at >= progress.since)),
      BATCH,
      ({ body }) => body.length,
    )) {
      if (ended.aborted) return;
      await bus.publish(piece);
      progress.published = piece.at(-1)!.place;
    }
    progress.published = messages.at(-1)?.place ?? progress.published;
    if (messages.length < BATCH.count) {
      await commits.wait(seen, committed === undefined ? LOOKS_EVERY_MS : CHECKS_EVERY_MS, ended);
    }
  }
}

/**
 * After what was published; where deliveries are recorded, if they are further on, or the bus has lost some since, or
 * what was published never happened, since the log was put back.
 */
async function whereToGoOn(
  { views, state, bus }: Pick<PublisherOptions, 'views' | 'state' | 'bus'>,
  published: OutboxPosition,
): Promise<Omit<Progress, 'checkedAt'>> {
  const { place: recorded, since } = await readCheckpoint(state);
  if (recorded >= published) return { published: recorded, since };
  const last = await bus.last();
  const isLost = last === null || last < published;
  const isThere = !isLost && (await views.position(outbox.name)) >= eventPositionOf(published);
  return { published: isThere ? published : recorded, since };
}
