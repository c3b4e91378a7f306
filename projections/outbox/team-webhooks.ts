/** The webhooks of each team: a message goes to those that were subscribed when it happened. */
import type { LedgerEvent, WebhookEvent } from '../../src/domain/events.js';
import { webhook, type SubscribedWebhook } from '../../src/domain/messages/webhook.js';
import { collection } from '../../src/domain/projection.js';
import { projection, type Handler } from '../projection.js';

/** By team id: the webhooks of the team, as they are at the position of the build. */
export type TeamWebhooksDocument = { webhooks: readonly SubscribedWebhook[] };

export const teamWebhookDocuments = collection<TeamWebhooksDocument>({
  name: 'team_webhooks',
  ids: 'team',
  indexes: [],
});

export const teamWebhooks = projection({
  name: 'team_webhooks',
  version: 4,
  collections: [teamWebhookDocuments],
  on: {
    WebhookCreated: changingWebhook(),
    WebhookChanged: changingWebhook(),
    WebhookEnabled: changingWebhook(),
    WebhookDisabled: changingWebhook(),
    WebhookDeleted: changingWebhook(),
  },
});

function changingWebhook(): Handler<WebhookEvent> {
  return {
    touches: ({ meta }) => [teamWebhookDocuments.at(meta.team_id)],
    apply(documents, event) {
      const { team_id } = event.meta;
      const present = documents.get(teamWebhookDocuments, team_id);
      const after = withWebhookEvent(present, event);
      if (after !== null && after !== present) documents.put(teamWebhookDocuments, team_id, after);
    },
  };
}

/** The document after an event of a webhook: `present` itself if nothing changed, null for a team without webhooks. */
export function withWebhookEvent(
  present: TeamWebhooksDocument | null,
  event: LedgerEvent<WebhookEvent>,
): TeamWebhooksDocument | null {
  const webhooks = present?.webhooks ?? [];
  const { webhook_id } = event.data;
  const before = webhooks.find((one) => one.webhook_id === webhook_id);
  const after = webhook.evolve(
    before === undefined
      ? webhook.initial
      : // No other field decides which messages a webhook gets.
        {
          life: 'present',
          origin: '',
          sealed: '',
          disabled_reason: null,
          created_at: '',
          reached_since: { position: '', at: '' },
          ...before,
        },
    event,
  );
  if (after.life !== 'present') {
    return before === undefined ? present : { webhooks: webhooks.filter((one) => one !== before) };
  }
  const { events, project_ids, filter, per = 'test', enabled, since } = after;
  const changed: SubscribedWebhook = {
    webhook_id,
    events,
    project_ids,
    ...(filter && { filter }),
    ...(per !== 'test' && { per }),
    enabled,
    since,
  };
  const isSame =
    before?.events === events &&
    before.project_ids === project_ids &&
    (before.filter ?? null) === (filter ?? null) &&
    (before.per ?? 'test') === per;
  if (isSame && before.enabled === enabled && before.since === since) return present;
  if (before === undefined) return { webhooks: [...webhooks, changed] };
  return { webhooks: webhooks.map((one) => (one === before ? changed : one)) };
}
