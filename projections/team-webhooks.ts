/**
 * Who is sent what, as the publisher sees it at each place of the log: the webhooks of a team in one document, folded
 * with the messages, so that a message goes to those that were registered for it where it happened.
 */
import type { LedgerEvent, WebhookEvent } from '../src/domain/events.js';
import type { Handler, Handlers } from './projection.js';
import type { TeamWebhook, TeamWebhooksDocument } from './publication.js';

/** All but rotations and pings: they change nothing here. */
type Listed = Exclude<WebhookEvent, 'WebhookSecretRotated' | 'WebhookPinged'>;

/** To be among the handlers of a projection that has the collection `team_webhooks`. */
export const teamWebhooks = {
  WebhookCreated: change(),
  WebhookChanged: change(),
  WebhookEnabled: change(),
  WebhookDisabled: change(),
  WebhookDeleted: change(),
} satisfies Handlers;

/**
 * The document after one event of a webhook; null is that of a team without any. Answers `present` itself where the
 * event changes nothing.
 */
export function withWebhookEvent(
  present: TeamWebhooksDocument | null,
  event: LedgerEvent<WebhookEvent>,
): TeamWebhooksDocument | null {
  const webhooks = present?.webhooks ?? [];
  const { webhook_id } = event.data;
  const each = (changed: Partial<TeamWebhook>): TeamWebhooksDocument | null => {
    if (!webhooks.some((one) => one.webhook_id === webhook_id)) return present;
    return {
      webhooks: webhooks.map((one) => (one.webhook_id === webhook_id ? { ...one, ...changed } : one)),
    };
  };
  switch (event.type) {
    case 'WebhookCreated': {
      const { events } = event.data;
      return { webhooks: [...webhooks, { webhook_id, events, enabled: true, since: event.position }] };
    }
    case 'WebhookChanged':
      // The URL is looked up when something is sent.
      return event.data.events === undefined ? present : each({ events: event.data.events });
    case 'WebhookEnabled':
      return each({ enabled: true, since: event.position });
    case 'WebhookDisabled':
      return each({ enabled: false });
    case 'WebhookDeleted': {
      const left = webhooks.filter((one) => one.webhook_id !== webhook_id);
      return left.length === webhooks.length ? present : { webhooks: left };
    }
    default:
      return present;
  }
}

function change(): Handler<Listed> {
  return {
    touches: ({ meta }) => [{ collection: 'team_webhooks', id: meta.team_id }],
    apply(documents, event) {
      const { team_id } = event.meta;
      const present = documents.get<TeamWebhooksDocument>('team_webhooks', team_id);
      const after = withWebhookEvent(present, event);
      if (after !== null && after !== present) documents.put('team_webhooks', team_id, after);
    },
  };
}
