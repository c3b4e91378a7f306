/** What has to be done by the clock: runs that nobody ends are completed, and what expired in State is forgotten. */
import { runDocuments } from '../../projections/runs.js';
import { typedViews } from '../projecting/typed-views.js';
import { streamName } from '../domain/event.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { run } from '../domain/run.js';
import { instant, later, type Clock } from '../clock.js';
import type { Freshness } from '../projecting/freshness.js';
import { systemContext, type Ledger } from './ledger.js';
import type { Cursor, ViewReader } from '../ports/views.js';
import type { State } from '../ports/state.js';

export type Housekeeping = {
  ledger: Ledger;
  views: ViewReader;
  spec: ProjectionSpec;
  state: State;
  freshness: Freshness;
  clock: Clock;
  /** Milliseconds. */
  runIdle: number | 'off';
  report: (error: unknown) => void;
};

const AT_LEAST_EVERY_MS = 10_000;
const AT_MOST_EVERY_MS = 1_000;
const PAGE = 100;

/**
 * Does its round every 10 s, or as often as runs become idle, until it is stopped; answers the stop. A fault is
 * reported and met again next time.
 */
export function keepHouse(options: Housekeeping): () => Promise<void> {
  const { runIdle, report } = options;
  const wanted = runIdle === 'off' ? AT_LEAST_EVERY_MS : Math.min(runIdle, AT_LEAST_EVERY_MS);
  const stop = new AbortController();
  let round: Promise<void> | null = null;
  const timer = setInterval(
    () => {
      // A round that takes longer than its turn is not overtaken by the next.
      round ??= doRound(options, stop.signal)
        .catch(report)
        .finally(() => (round = null));
    },
    Math.max(wanted, AT_MOST_EVERY_MS),
  ).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await round;
  };
}

async function doRound(options: Housekeeping, signal: AbortSignal): Promise<void> {
  const { state, clock, runIdle } = options;
  if (runIdle !== 'off') {
    await completeIdleRuns(options, later(instant(clock), -runIdle), signal, options.report);
  }
  while (!signal.aborted && (await state.purge(instant(clock), PAGE)) === PAGE);
}

/**
 * Completes every run that is running though nothing has happened in it since `before`: page after page, since an
 * outage leaves more than one behind, and all of them are due within 30 s.
 */
export async function completeIdleRuns(
  options: Omit<Housekeeping, 'runIdle' | 'state' | 'report'>,
  before: string,
  signal?: AbortSignal,
  report: (error: unknown) => void = raise,
): Promise<void> {
  const { views, spec, freshness } = options;
  // A team whose views are behind is left for the next round: they may not show what happened since.
  const behind = new Map<string, boolean>();
  const hasStopped = () => signal?.aborted === true;
  for (let after: Cursor | null | undefined; after !== null && !hasStopped();) {
    const { items, next } = await typedViews(views, spec).find(runDocuments, {
      where: { status: 'Running' },
      sort: { field: 'active_at', direction: 'ascending' },
      range: { to: before },
      limit: PAGE,
      ...(after && { after }),
    });
    for (const { test_run_id, team_id } of items) {
      if (hasStopped()) return;
      if (!behind.has(team_id)) behind.set(team_id, (await freshness(team_id)) > 0);
      if (behind.get(team_id) === true) continue;
      // One run that cannot be completed must not keep those after it from being.
      await completeIdle(options, test_run_id, team_id, before).catch(report);
    }
    after = next;
  }
}

function raise(error: unknown): never {
  throw error;
}

async function completeIdle(
  { ledger, views, spec, clock }: Omit<Housekeeping, 'runIdle' | 'state' | 'report'>,
  id: string,
  team: string,
  before: string,
): Promise<void> {
  const [now] = await typedViews(views, spec).get(runDocuments, [id]);
  if (now == null || now.active_at > before) return;
  const at = instant(clock);
  const context = systemContext(team, at, 'run-idle');
  await ledger.execute(run, streamName('run', team, id), context, { type: 'CompleteIdleRun', at });
}
