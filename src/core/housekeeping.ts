/** What has to be done by the clock: runs that nobody ends are completed, and what expired in State is forgotten. */
import type { RunDocument } from '../../projections/runs.js';
import { streamName } from '../domain/event.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { run } from '../domain/run.js';
import { instant, later, type Clock } from './clock.js';
import type { Freshness } from './freshness.js';
import { newIds } from './ids.js';
import type { Ledger } from './ledger.js';
import type { State, ViewReader } from './ports.js';

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

const EVERY_MS = 10_000;
const PAGE = 100;

/** Does its round every 10 s until it is stopped; answers the stop. A fault is reported and met again next time. */
export function keepHouse(options: Housekeeping): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = round.then(() => doRound(options)).catch(options.report);
  }, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}

async function doRound(options: Housekeeping): Promise<void> {
  const { state, clock, runIdle } = options;
  if (runIdle !== 'off') await completeIdleRuns(options, later(instant(clock), -runIdle));
  while ((await state.purge(instant(clock), PAGE)) === PAGE);
}

/** Completes every run that is running though nothing has happened in it since `before`. */
export async function completeIdleRuns(
  { ledger, views, spec, freshness, clock }: Omit<Housekeeping, 'runIdle' | 'state' | 'report'>,
  before: string,
): Promise<void> {
  const { items } = await views.find(spec, 'runs', {
    where: { status: 'Running' },
    sort: { field: 'active_at', direction: 'ascending' },
    range: { to: before },
    limit: PAGE,
  });
  for (const { test_run_id, team_id } of items as unknown as RunDocument[]) {
    // Views that are behind may not show what happened since.
    if ((await freshness(team_id)) > 0) continue;
    const [now] = (await views.get(spec, 'runs', [test_run_id])) as unknown as (RunDocument | null)[];
    if (now == null || now.active_at > before) continue;
    const at = instant(clock);
    const context = {
      team: team_id,
      actor: 'system',
      at,
      correlationId: 'run-idle',
      ids: newIds,
      resumed: false,
    };
    await ledger.execute(run, streamName('run', team_id, test_run_id), context, {
      type: 'CompleteIdleRun',
      at,
    });
  }
}
