/**
 * Closes the days of the projects of whose digests webhooks ask, while this process leads. The message of a day follows from the
 * event, as other messages do from theirs. A day that was missed because no process ran is closed late, and its digest says
 * the same as it would have.
 */
import { projectDocuments, type ProjectDocument } from '../../../projections/records/projects.js';
import { webhookDocuments, type WebhookDocument } from '../../../projections/records/webhooks.js';
import { instant, type Clock } from '../../clock.js';
import { systemContext } from '../../commands/command-context.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import type { Instant } from '../../domain/event.js';
import { earliest } from '../../domain/instant.js';
import { closedDays, closedDaysStream, newestDue } from '../../domain/messages/closed-days.js';
import type { Day } from '../../domain/statistics/days.js';
import { maySee } from '../../domain/teams/access.js';
import type { Holder } from '../../leases/lease.js';
import { startRounds } from '../../leases/start-leading.js';
import { limits } from '../../limits.js';
import type { State } from '../../ports/state.js';
import type { Cursor } from '../../ports/views.js';
import type { TypedViews } from '../../projecting/typed-views.js';

const EVERY_MS = 30_000;
const PROJECTS_AT_ONCE = 100;

/** `views`: those of the records. */
export type CloseDaysParts = { commands: CommandHandler; views: Pick<TypedViews, 'find'>; clock: Clock };

export type CloseDaysOptions = CloseDaysParts & {
  state: State;
  holder: Holder;
  /** Receives every fault. The next round tries again. */
  report: (error: unknown) => void;
};

/** Looks twice a minute whether digests are due. Returns the function that stops it. */
export function startClosingDays(options: CloseDaysOptions): () => Promise<void> {
  const { state, holder, clock, report } = options;
  return startRounds({ name: 'digests', state, holder, clock, report }, EVERY_MS, () =>
    openCloseDays(options),
  );
}

/** Returns the function that does one round. @throws (from the round) AppError where a store is away */
export function openCloseDays({ commands, views, clock }: CloseDaysParts) {
  let closed = '';

  async function closeAll(
    projects: readonly ProjectDocument[],
    until: Day,
    signal: AbortSignal,
  ): Promise<void> {
    const teams = new Map<string, readonly WebhookDocument[]>();
    for (const project of projects) {
      if (signal.aborted) return;
      const { team_id: team, project_id } = project;
      let webhooks = teams.get(team);
      if (webhooks === undefined) teams.set(team, (webhooks = await webhooksOf(views, team)));
      const asked_since = askedSince(webhooks, project);
      if (asked_since === null) continue;
      const context = systemContext(team, instant(clock), 'digests');
      const command = { type: 'CloseDays', project_id, until, asked_since } as const;
      await commands.execute(closedDays, closedDaysStream(team, project_id), context, command);
    }
  }

  return async (signal = new AbortController().signal): Promise<void> => {
    const until = newestDue(instant(clock));
    if (closed === until) return;
    for (let after: Cursor | null | undefined; after !== null;) {
      const { items, next } = await views.find(projectDocuments, {
        where: {},
        sort: { field: 'created_position', direction: 'ascending' },
        limit: PROJECTS_AT_ONCE,
        ...(after && { after }),
      });
      await closeAll(items, until, signal);
      if (signal.aborted) return;
      after = next;
    }
    closed = until;
  };
}

async function webhooksOf(views: CloseDaysParts['views'], team: string): Promise<WebhookDocument[]> {
  const { items } = await views.find(webhookDocuments, {
    where: { team_id: team },
    sort: { field: 'created_position', direction: 'ascending' },
    limit: limits.webhooksPerTeam,
  });
  return items;
}

/** Null where no webhook asks. A disabled one may be enabled again, and recover what it missed. */
function askedSince(
  webhooks: readonly WebhookDocument[],
  { project_id, status }: ProjectDocument,
): Instant | null {
  if (status !== 'Active') return null;
  return webhooks
    .filter(({ events }) => events.includes('*') || events.includes('digest.daily'))
    .filter((webhook) => maySee(webhook, project_id))
    .reduce<Instant | null>((first, { created_at }) => earliest(first, created_at), null);
}
