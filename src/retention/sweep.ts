/**
 * The sweep ends what has had its time: it visits runs and results whose contents are to be forgotten, or whose time is over
 * (`visit.ts`). One process leads; two that lead by mistake do no harm.
 */
import { projectDocuments } from '../../projections/records/projects.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import { addMilliseconds, instant } from '../clock.js';
import { dueVisits, putVisit, removeVisit } from '../commands/content-visits.js';
import type { Instant } from '../domain/event.js';
import type { Holder } from '../leases/lease.js';
import { startRounds } from '../leases/start-leading.js';
import { recentlyUsed } from '../memory/recently-used.js';
import { everyPage } from '../queries/every-page.js';
import { livesOf, walkLoose } from './loose.js';
import { openWalk, type Walking } from './walk.js';

export type SweepOptions = Walking & {
  holder: Holder;
  /** Receives every fault. The next round tries again. */
  report: (error: unknown) => void;
  /** Time between two rounds. */
  everyMs?: number;
};

const EVERY_MS = 1_000;
/** The work of a round: a long history is swept over many of them. */
const WORKS_FOR_MS = 250;
const WALKS_EVERY_MS = 10_000;
const LATE_EVERY_MS = 30_000;
const VISITS_AT_ONCE = 64;
/** Until a visit is tried again for which the views are behind. */
const WAITS_MS = 5_000;

/** Does rounds while this process leads. Returns the function that stops it. */
export function startSweep(options: SweepOptions): () => Promise<void> {
  const { state, holder, clock, report, everyMs = EVERY_MS } = options;
  const leading = { name: 'retention', state, holder, clock, report };
  return startRounds(leading, everyMs, () => openSweep(options));
}

/** Returns the function that does one round. @throws (from the round) AppError where a store is away */
export function openSweep(options: SweepOptions): (signal?: AbortSignal) => Promise<void> {
  const { views, state, clock } = options;
  const walk = openWalk(options);
  const walksAgain = every(WALKS_EVERY_MS);
  const looksForLate = every(LATE_EVERY_MS);
  /** By run, with the change that was seen. */
  const seenLate = recentlyUsed<string, string>(10_000);

  return async (signal = new AbortController().signal) => {
    const end = performance.now() + WORKS_FOR_MS;
    const isOver = () => performance.now() > end;
    await visitDue(signal);
    // What somebody asked for does not wait for the walks.
    const now = clock().getTime();
    if (looksForLate.isDue(now) && (await visitLate(signal))) looksForLate.done(now);
    if (!walksAgain.isDue(now)) return;
    const lives = new Set<number>();
    const sort = { field: 'created_position', direction: 'ascending' } as const;
    for await (const projects of everyPage(views, projectDocuments, { where: {}, sort, limit: 100 }))
      for (const life of projects.flatMap(livesOf)) lives.add(life);
    const isDone = (await walk.round(isOver, signal)) && (await walkLoose(options, lives, isOver, signal));
    if (isDone) walksAgain.done(now);
  };

  async function visitDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = await dueVisits(state, instant(clock), VISITS_AT_ONCE);
      const done = new Set(await walk.visit(due, signal));
      for (const visit of due) {
        // One that has to wait must not hold up the others, which come after it.
        if (!done.has(visit))
          await putVisit(state, { ...visit, at: addMilliseconds(instant(clock), WAITS_MS) });
        await removeVisit(state, visit);
      }
      if (due.length < VISITS_AT_ONCE) return;
    }
  }

  /** Runs that changed a day or more after they began: the walks may have passed them. Returns whether all were visited. */
  async function visitLate(signal: AbortSignal): Promise<boolean> {
    const saved = (await state.get<Instant>(KIND, LATE))?.value;
    const sort = { field: 'active_at', direction: 'ascending' } as const;
    const range = saved === undefined ? {} : { range: { from: addMilliseconds(saved, -LATE_AGAIN_MS) } };
    const query = { where: { late: 'yes' }, sort, limit: VISITS_AT_ONCE, ...range };
    let last = saved;
    for await (const runs of everyPage(views, runDocuments, query)) {
      const unseen = runs.filter(({ test_run_id, active_at }) => seenLate.get(test_run_id) !== active_at);
      const places = unseen.map(({ team_id: team, test_run_id: holder }) => ({ team, holder }));
      if ((await walk.visit(places, signal)).length < places.length) return false;
      for (const { test_run_id, active_at } of unseen) seenLate.set(test_run_id, active_at);
      last = runs.at(-1)?.active_at ?? last;
    }
    if (last !== saved) await state.put(KIND, LATE, last, { expected: 'any' });
    return true;
  }
}

const KIND = 'retention';
const LATE = 'late runs';
/** The views may show a change later than it was made. */
const LATE_AGAIN_MS = 300_000;

/** A clock that was set back makes everything due. */
function every(ms: number) {
  let at = Infinity;
  return { isDue: (now: number) => now < at || now >= at + ms, done: (now: number) => void (at = now) };
}
