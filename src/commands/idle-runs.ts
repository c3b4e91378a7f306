/** Completes the runs that their clients have left running. */
import { runDocuments } from '../../projections/records/run-documents.js';
import { streamName } from '../domain/event.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { run } from '../domain/runs/run.js';
import { instant, type Clock } from '../clock.js';
import type { Freshness } from '../projecting/freshness.js';
import { typedViews } from '../projecting/typed-views.js';
import { systemContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import type { Cursor, ViewReader } from '../ports/views.js';

export type IdleRunsOptions = {
  commands: CommandHandler;
  views: ViewReader;
  spec: ProjectionSpec;
  freshness: Freshness;
  clock: Clock;
};

const PAGE = 100;

/**
 * Completes every running run in which nothing has happened since `before`. It reads all pages: an outage leaves many
 * such runs, and each of them is due within 30 s. `report` takes the fault of one run; by default it is thrown.
 */
export async function completeIdleRuns(
  options: IdleRunsOptions,
  before: string,
  signal?: AbortSignal,
  report: (error: unknown) => void = raise,
): Promise<void> {
  const { views, spec, freshness } = options;
  // The views of a team may be behind and not show its newest events. Its runs wait for the next round.
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
      // If one run cannot be completed, the runs after it still must be.
      await completeIfIdle(options, test_run_id, team_id, before).catch(report);
    }
    after = next;
  }
}

function raise(error: unknown): never {
  throw error;
}

async function completeIfIdle(
  { commands, views, spec, clock }: IdleRunsOptions,
  id: string,
  team: string,
  before: string,
): Promise<void> {
  const [now] = await typedViews(views, spec).get(runDocuments, [id]);
  if (now == null || now.active_at > before) return;
  const at = instant(clock);
  const context = systemContext(team, at, 'run-idle');
  await commands.execute(run, streamName('run', team, id), context, { type: 'CompleteIdleRun', at });
}
