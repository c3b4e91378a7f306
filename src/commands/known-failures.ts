/** The known failures of tests: a client sets and ends them, and the program ends those whose time is over. */
import { knownFailureDocuments } from '../../projections/history/known-failures.js';
import { history } from '../../projections/history/history.js';
import { instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { knownFailure, knownFailureStream } from '../domain/known-failure.js';
import { typedViews } from '../projecting/typed-views.js';
import type { Cursor, ViewReader } from '../ports/views.js';
import { systemContext, type CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import { checkProjectTakesWrites } from './projects.js';

/**
 * Sets the known failure of a test that exists. Returns false if the test has the very same one already.
 * @throws AppError `validation_failed`, `project_inactive`, `event_limit`, `write_conflict`
 */
export async function setKnownFailure(
  commands: CommandHandler,
  context: CommandContext,
  data: EventData['KnownFailureSet'],
): Promise<boolean> {
  const { team, at } = context;
  const stream = knownFailureStream(team, data.test_id);
  const command = { type: 'SetKnownFailure', at, data } as const;
  const check = () => checkProjectTakesWrites(commands, context, data.project_id);
  return (await commands.execute(knownFailure, stream, context, command, { check })).appended !== null;
}

/** @throws AppError `not_found` where the test has none, `project_inactive`, `write_conflict` */
export async function endKnownFailure(
  commands: CommandHandler,
  context: CommandContext,
  { project_id, test_id }: { project_id: string; test_id: string },
): Promise<void> {
  const { team } = context;
  const command = { type: 'EndKnownFailure', project_id } as const;
  const check = () => checkProjectTakesWrites(commands, context, project_id);
  await commands.execute(knownFailure, knownFailureStream(team, test_id), context, command, { check });
}

export type ExpiryOptions = { commands: CommandHandler; historyViews: ViewReader; clock: Clock };

const PAGE = 100;

/**
 * Ends every known failure whose time is over. The views name those that may be; the stream of each one decides, so views
 * that are behind and processes that do the same end none twice. `report` takes the fault of one of them.
 */
export async function expireKnownFailures(
  { commands, historyViews, clock }: ExpiryOptions,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  const views = typedViews(historyViews, history);
  const at = instant(clock);
  for (let after: Cursor | null | undefined; after !== null && !signal.aborted;) {
    const { items, next } = await views.find(knownFailureDocuments, {
      where: { in_force: true },
      sort: { field: 'expires_at', direction: 'ascending' },
      range: { to: at },
      limit: PAGE,
      ...(after && { after }),
    });
    for (const { team_id, test_id } of items) {
      if (signal.aborted) return;
      // If one cannot be ended, those after it still must be.
      await expire(commands, { team_id, test_id, at }).catch(report);
    }
    after = next;
  }
}

async function expire(
  commands: CommandHandler,
  { team_id, test_id, at }: { team_id: string; test_id: string; at: Instant },
): Promise<void> {
  const context = systemContext(team_id, at, 'known-failure-expiry');
  const command = { type: 'ExpireKnownFailure', at } as const;
  await commands.execute(knownFailure, knownFailureStream(team_id, test_id), context, command);
}
