/** Who gets a message: of the webhooks that were there when it happened those that still want it. */
import { outbox, type TeamWebhook, type TeamWebhooksDocument } from '../../../projections/publication.js';
import { instant, type Clock } from '../../clock.js';
import { chunk } from '../../memory/chunk.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { ViewReader } from '../../ports/views.js';
import { deliveryOf } from '../../domain/delivery.js';
import type { Position } from '../../domain/event.js';
import { eventPositionOf, type Message } from '../../domain/message.js';
import { isSubscribed } from '../../domain/webhook.js';
import { fail } from '../../errors.js';

/** What State takes at a time: one message may have many targets, each with its body. */
const PIECE = { count: 500, bytes: 4 * 1024 * 1024 };

/**
 * Adds the deliveries of messages, in their order; answers the webhooks that got any. @throws LedgerError
 * `views_unavailable` where the publication does not stand at the last of them or after it.
 */
export async function matchWebhooks(
  { views, deliveries, clock }: { views: ViewReader; deliveries: Pick<Deliveries, 'add'>; clock: Clock },
  messages: readonly Message[],
): Promise<string[]> {
  const teams = await webhooksOf(views, [...new Set(messages.map(({ team_id }) => team_id))]);
  await mustBeFolded(views, eventPositionOf(messages.at(-1)!.place));
  const now = instant(clock);
  const made = messages.flatMap((message) =>
    message.targets
      .filter((webhook) => wants(teams.get(message.team_id)?.get(webhook), message))
      .map((webhook) => deliveryOf(message, webhook, now)),
  );
  for (const piece of chunk(made, PIECE, ({ body }) => body?.length ?? 0)) await deliveries.add(piece);
  return [...new Set(made.map(({ webhook_id }) => webhook_id))];
}

/**
 * Still there, enabled, and not disabled meanwhile: what waited then was cancelled, and enabling does not revive it. A
 * ping is for the webhook that it names, whatever else that is told.
 */
function wants(webhook: TeamWebhook | undefined, { type, place }: Message): boolean {
  if (webhook === undefined || !webhook.enabled || webhook.since >= eventPositionOf(place)) return false;
  return type === 'webhook.ping' || isSubscribed(webhook.events, type);
}

/** After the webhooks were read: read models that somebody deletes meanwhile know none, and all would go to nobody. */
async function mustBeFolded(views: ViewReader, position: Position): Promise<void> {
  if ((await views.position(outbox.name)) >= position) return;
  fail('views_unavailable', 'The publication is being folded anew');
}

async function webhooksOf(
  views: ViewReader,
  teams: readonly string[],
): Promise<Map<string, Map<string, TeamWebhook>>> {
  const documents = await views.get(outbox, 'team_webhooks', teams);
  return new Map(
    teams.map((team, n) => {
      const { webhooks = [] } = (documents[n] ?? {}) as Partial<TeamWebhooksDocument>;
      return [team, new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook]))];
    }),
  );
}
