/**
 * The janitor deletes the bytes of artifacts that expired, were deleted or were never confirmed, and sees to it that the
 * contents of deleted results are forgotten. It reads the feed from
 * a checkpoint of its own, stores in State which cleanup tasks follow from the events, and runs each task when it is
 * due. One process leads; two that lead by mistake do no harm, because the streams decide. All tasks follow from the
 * log, so they are stored again after State was lost.
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
import { forgetContents, type Forgetting, type Forgotten } from '../commands/forget-contents.js';
import { backOffMs } from '../concurrency/back-off.js';
import { forEachConcurrent } from '../concurrency/for-each-concurrent.js';
import type { Holder } from '../leases/lease.js';
import { startRounds } from '../leases/start-leading.js';
import type { Feed } from '../log/feed.js';

export type JanitorOptions = CleanupDependencies & {
  feed: Feed;
  contents: Forgetting['contents'];
  holder: Holder;
  clock: Clock;
  /** Receives every fault. The work that met the fault is tried again. */
  report: (error: unknown) => void;
  metrics: JanitorMetrics;
  /** Time between two rounds. */
  everyMs?: number;
};

export type JanitorMetrics = {
  reclaimed(bytes: number): void;
  artifactDeleted(reason: string): void;
};

const EVERY_MS = 1_000;
const EVENTS_PER_PAGE = 500;
/** Enough tasks for one commit, and few enough that other writes are not held up. */
const STORED_AT_ONCE = 64;
/** Reading a page may hold the thread for milliseconds: a long history is read over many rounds. */
const READ_FOR_MS = 250;
const TASKS_PER_LIST = 32;
const TASKS_AT_ONCE = 8;
const SAVE_EVERY_MS = 10_000;
/** The pauses while no task succeeds. */
const BACK_OFF = { firstMs: 1_000, longestMs: 60_000 };

/** How far the feed is read. */
type Progress = {
  /** The tasks of all events up to here are stored. The checkpoint in State may lag behind. */
  position: Position;
  saved: { position: Position; at: number };
};

/** Does a round every second while this process leads. Returns the function that stops it. */
export function startJanitor(options: JanitorOptions): () => Promise<void> {
  const { state, holder, clock, report, everyMs = EVERY_MS } = options;
  const leading = { name: 'janitor', state, holder, clock, report };
  return startRounds(leading, everyMs, () => openRounds(options));
}

/**
 * Returns the function that does one round: it stores new tasks and runs all that are due. After a round in which no
 * task succeeded, it skips rounds for longer and longer.
 * @throws (from the round) AppError where State or the log is away
 */
export function openRounds(options: JanitorOptions): (signal?: AbortSignal) => Promise<void> {
  const { clock, state } = options;
  let progress: Progress | null = null;
  let failures = 0;
  let resumeAt = 0;

  return async (signal = new AbortController().signal) => {
    const waitsMs = resumeAt - clock().getTime();
    // A clock that was set back would make a pause of minutes one of months.
    if (waitsMs > 0 && waitsMs <= BACK_OFF.longestMs) return;
    try {
      progress ??= await loadProgress(options);
      while (!signal.aborted) {
        // Before each list: a deletion that a user requested does not wait behind all that became due.
        await storeNewTasks(options, progress, signal);
        const due = await listDueCleanupTasks(state, instant(clock), TASKS_PER_LIST);
        if (due.length === 0) break;
        const succeeded = await runTasks(options, due, signal);
        if (succeeded === 0) return pause();
      }
      failures = 0;
    } catch (error) {
      pause();
      throw error;
    }
  };

  /** Where no task succeeds, storage is probably away: it is not asked every second for everything that is due. */
  function pause(): void {
    failures += 1;
    resumeAt = clock().getTime() + backOffMs(failures, BACK_OFF);
  }
}

async function loadProgress({ state, feed, clock }: JanitorOptions): Promise<Progress> {
  const saved = (await state.get<{ position: Position }>('janitor', 'checkpoint'))?.value.position ?? START;
  // A log that was restored from a backup is read again from the start, so that none of it is left out.
  const position = saved <= (await feed.head()) ? saved : START;
  return { position, saved: { position: saved, at: clock().getTime() } };
}

/**
 * Stores the tasks that follow from new events, for a limited time, at least one page. After a crash, some are stored
 * twice, which changes nothing.
 */
async function storeNewTasks(
  { feed, state, contents, clock, metrics }: JanitorOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + READ_FOR_MS;
  while (!signal.aborted) {
    const { position: after } = progress;
    const batch = await feed.read({ after, limit: EVENTS_PER_PAGE, filter: { types: cleanupEventTypes } });
    const events = batch.events as LedgerEvent[];
    const tasks = events.map(cleanupTaskOf).filter((task) => task !== null);
    await forEachConcurrent(tasks, STORED_AT_ONCE, (task) => putCleanupTask(state, task));
    // The request that deleted or redacted a result has done so, too, unless it was cut off.
    await forgetContents({ contents, state }, forgottenBy(events, 'ResultDeleted'), 'deleted');
    await forgetContents({ contents, state }, forgottenBy(events, 'ResultRedacted'), 'redacted');
    progress.position = batch.position;
    // The checkpoint is saved after the tasks that it stands for. Without tasks, it is not worth a write every second.
    const now = clock().getTime();
    const changed = progress.saved.position !== batch.position;
    if (changed && (events.length > 0 || now - progress.saved.at >= SAVE_EVERY_MS)) {
      await state.put('janitor', 'checkpoint', { position: batch.position }, { expected: 'any' });
      progress.saved = { position: batch.position, at: now };
    }
    for (const event of events) {
      if (event.type === 'ArtifactDeleted') metrics.artifactDeleted(event.data.reason);
    }
    if (batch.caughtUp || performance.now() > until) return;
    // A log that reads on this thread would never pause otherwise: requests get their turn here.
    await turn();
  }
}

function forgottenBy(events: readonly LedgerEvent[], type: 'ResultDeleted' | 'ResultRedacted'): Forgotten[] {
  return (events.filter((event) => event.type === type) as LedgerEvent<typeof type>[]).map(
    ({ data, meta }) => ({ team: meta.team_id, run: data.run_id, id: data.result_id }),
  );
}

/** Returns how many of the tasks succeeded. */
async function runTasks(
  options: JanitorOptions,
  tasks: readonly CleanupTask[],
  signal: AbortSignal,
): Promise<number> {
  const { state, clock, report, metrics } = options;
  let succeeded = 0;
  let reported = false;
  await forEachConcurrent(tasks, TASKS_AT_ONCE, async (task) => {
    if (signal.aborted) return;
    try {
      metrics.reclaimed(await runCleanupTask(options, task, instant(clock)));
      succeeded += 1;
    } catch (error) {
      // One report is enough: the others most likely failed for the same reason.
      if (!reported) report(error);
      reported = true;
      await postponeCleanupTask(state, task, instant(clock));
    }
  });
  return succeeded;
}
