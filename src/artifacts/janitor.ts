/**
 * The janitor: follows the feed from a checkpoint of its own, notes in State what becomes due, and does it when its
 * time has come. One of all processes leads; two that do shall do no harm, since the streams decide. What is noted
 * follows from the log, so a State that was lost is noted anew.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { START, type Position } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import {
  cleanupTaskOf,
  cleanupEventTypes,
  listDueCleanupTasks,
  postponeCleanupTask,
  putCleanupTask,
  type CleanupTask,
} from './cleanup-tasks.js';
import { runCleanupTask, type CleanupDependencies } from './cleanup.js';
import { instant, type Clock } from '../clock.js';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.js';
import type { Feed } from '../log/feed.js';
import { acquireLease, LEASE_MS, type Holder, type Lease } from '../leases/lease.js';
import { withTimeout } from '../concurrency/with-timeout.js';

export type Janitor = CleanupDependencies & {
  feed: Feed;
  holder: Holder;
  clock: Clock;
  /** Told of every fault; what met it is tried again. */
  report: (error: unknown) => void;
  metrics: JanitorMetrics;
};

export type JanitorMetrics = {
  reclaimed(bytes: number): void;
  artifactDeleted(reason: string): void;
};

const EVERY_MS = 1_000;
const PAGE = 500;
/** Many in one commit, and not so many that others wait for their turn. */
const NOTED_AT_ONCE = 64;
/** Reading a page may take the thread for milliseconds: a long history is looked through over many rounds. */
const NOTES_FOR_MS = 250;
const CHUNK = 32;
const AT_ONCE = 8;
const SAVED_EVERY_MS = 10_000;
const LONGEST_REST_MS = 60_000;
const STOPS_WITHIN_MS = 2_000;

type Leading = {
  lease: Lease;
  renewedAt: number;
  /** All up to here is noted; the checkpoint may lag. */
  position: Position;
  saved: { position: Position; at: number };
};

/**
 * Does its round every second until it is stopped; answers the stop, which waits a while for what is under way. Where
 * storage hangs, that is given up, as by a crash: the next one takes it up.
 */
export function startJanitor(janitor: Janitor): () => Promise<void> {
  const stop = new AbortController();
  const round = openJanitor(janitor, stop.signal);
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= round()
      .catch(janitor.report)
      .finally(() => (running = null));
  }, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await withTimeout(STOPS_WITHIN_MS, running ?? Promise.resolve(), () => undefined);
    await round.end();
  };
}

/** A round of one who would lead. @throws from the round: LedgerError where State or the log is away. */
export function openJanitor(
  janitor: Janitor,
  signal: AbortSignal = new AbortController().signal,
): (() => Promise<void>) & { end(): Promise<void> } {
  const { clock, report } = janitor;
  let leading: Leading | null = null;
  let rest = { until: 0, ms: EVERY_MS };

  async function round(): Promise<void> {
    if (clock().getTime() < rest.until) return;
    try {
      while (!signal.aborted) {
        leading = await lead(janitor, leading);
        if (leading === null) return;
        // Each time: a deletion that somebody asked for does not wait for all that is due by now.
        await note(janitor, leading, signal);
        const due = await listDueCleanupTasks(janitor.state, instant(clock), CHUNK);
        if (due.length === 0) break;
        const done = await doChunk(janitor, due, signal);
        if (done === 0) return takeRest();
      }
      rest = { until: 0, ms: EVERY_MS };
    } catch (error) {
      takeRest();
      throw error;
    }
  }

  /** Where nothing can be done, storage is likely away: it is not asked every second, by everything that is due. */
  function takeRest(): void {
    rest = { until: clock().getTime() + rest.ms, ms: Math.min(rest.ms * 2, LONGEST_REST_MS) };
  }

  return Object.assign(round, { end: async () => leading?.lease.release().catch(report) });
}

/** Takes the lease, or keeps it; null while another holds it. */
async function lead({ state, holder, clock, feed }: Janitor, held: Leading | null): Promise<Leading | null> {
  const now = clock().getTime();
  if (held !== null) {
    if (now - held.renewedAt < LEASE_MS / 3) return held;
    return (await held.lease.renew()) ? Object.assign(held, { renewedAt: now }) : null;
  }
  const lease = await acquireLease(state, 'janitor', holder, clock);
  if (lease === null) return null;
  const saved = (await state.get<{ position: Position }>('janitor', 'checkpoint'))?.value.position ?? START;
  // A log that was put back from a backup is looked through again: nothing of it may be passed over.
  const position = saved <= (await feed.head()) ? saved : START;
  return { lease, renewedAt: now, position, saved: { position: saved, at: now } };
}

/**
 * Notes what follows from the events since, for a while; those that are noted again after a crash are the same. One page
 * at least.
 */
async function note(
  { feed, state, clock, metrics }: Janitor,
  leading: Leading,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + NOTES_FOR_MS;
  while (!signal.aborted) {
    const { position: after } = leading;
    const batch = await feed.read({ after, limit: PAGE, filter: { types: cleanupEventTypes } });
    const events = batch.events as LedgerEvent[];
    const noted = events.map(cleanupTaskOf).filter((due) => due !== null);
    await forEachConcurrent(noted, NOTED_AT_ONCE, (due) => putCleanupTask(state, due));
    leading.position = batch.position;
    // After what it stands for, and not every second, for the sake of events that are nothing to the janitor.
    const now = clock().getTime();
    const changed = leading.saved.position !== batch.position;
    if (changed && (events.length > 0 || now - leading.saved.at >= SAVED_EVERY_MS)) {
      await state.put('janitor', 'checkpoint', { position: batch.position }, { expected: 'any' });
      leading.saved = { position: batch.position, at: now };
    }
    for (const event of events) {
      if (event.type === 'ArtifactDeleted') metrics.artifactDeleted(event.data.reason);
    }
    if (batch.caughtUp || performance.now() > until) return;
    // A log that reads on this thread would go on without a pause: requests come in between.
    await turn();
  }
}

/** Answers how many could be done. */
async function doChunk(janitor: Janitor, due: readonly CleanupTask[], signal: AbortSignal): Promise<number> {
  const { state, clock, report, metrics } = janitor;
  let done = 0;
  let reported = false;
  await forEachConcurrent(due, AT_ONCE, async (each) => {
    if (signal.aborted) return;
    try {
      metrics.reclaimed(await runCleanupTask(janitor, each, instant(clock)));
      done += 1;
    } catch (error) {
      // One of many that failed alike is enough to know.
      if (!reported) report(error);
      reported = true;
      await postponeCleanupTask(state, each, instant(clock));
    }
  });
  return done;
}
