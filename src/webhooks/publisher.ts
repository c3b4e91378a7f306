/**
 * The publisher: puts every outgoing message of the publication on the bus, in order. What it put is never noted: it
 * begins where deliveries are recorded, and goes back there where the bus has lost anything, so that a bus that was
 * wiped costs nothing but a repeat, which the fan-out drops.
 */
import type { Clock } from '../core/clock.js';
import { runLeading, type LeadingFault } from '../core/leading.js';
import type { Holder } from '../core/lease.js';
import { piecesOf } from '../core/pieces.js';
import type { Bus, State, ViewReader } from '../core/ports.js';
import type { Render } from '../core/publication/rendering.js';
import { BEFORE_ALL, outgoingAfter, readRecorded } from '../core/webhooks/recorded.js';
import type { Message, Place } from '../domain/message.js';
import { wakeable, type Wakeable } from './wakeable.js';

export type PublisherOptions = {
  views: ViewReader;
  render: Render;
  state: State;
  bus: Bus;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try. */
  report: (fault: LeadingFault) => void;
  /** Calls with every commit of the publication; answers what ends that. Without it, the publisher looks for itself. */
  committed?: (wake: () => void) => () => void;
};

const BATCH = { count: 500, bytes: 4 * 1024 * 1024 };
const LOOKS_EVERY_MS = 200;
const CHECKS_EVERY_MS = 1_000;

/** Publishes while it leads, until the signal. */
export async function runPublisher(options: PublisherOptions): Promise<void> {
  const { state, holder, clock, signal, report, committed } = options;
  const commits = wakeable();
  const unsubscribe = committed?.(commits.wake);
  // Kept through faults: each would repeat all that no delivery is recorded of yet.
  const progress: Progress = { published: BEFORE_ALL, checkedAt: -Infinity };
  try {
    await runLeading({
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

type Progress = { published: Place; checkedAt: number };

async function publish(
  { views, render, state, bus, committed }: PublisherOptions,
  progress: Progress,
  commits: Wakeable,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    if (performance.now() - progress.checkedAt >= CHECKS_EVERY_MS) {
      progress.published = await whereToGoOn(state, bus, progress.published);
      progress.checkedAt = performance.now();
    }
    // Counted before the look, so that what is committed right after it is not slept through.
    const seen = commits.count();
    const messages = await outgoingAfter(views, progress.published, { limit: BATCH.count });
    for (const piece of piecesOf(await render(messages), BATCH, ({ body }) => body.length)) {
      if (ended.aborted) return;
      await bus.publish(linked(piece, progress.published));
      progress.published = piece.at(-1)!.place;
    }
    if (messages.length < BATCH.count) {
      await commits.next(seen, committed === undefined ? LOOKS_EVERY_MS : CHECKS_EVERY_MS, ended);
    }
  }
}

/** After what was published; where deliveries are recorded, if they are further on or the bus has lost some since. */
async function whereToGoOn(state: State, bus: Bus, published: Place): Promise<Place> {
  const { place: recorded } = await readRecorded(state);
  if (recorded >= published) return recorded;
  const last = await bus.last();
  return last === null || last < published ? recorded : published;
}

/** Each with the place of the one before it. */
function linked(messages: readonly Message[], after: Place) {
  return messages.map((message, n) => ({ ...message, after: messages[n - 1]?.place ?? after }));
}
