/** The webhooks of a team, in order of creation. */
import type { Position } from '../../src/domain/event.js';
import type { WebhookEvent } from '../../src/domain/events.js';
import { collection } from '../../src/domain/projection.js';
import { webhook, type Webhook, type WebhookRecord } from '../../src/domain/messages/webhook.js';
import { projection, type Handler } from '../projection.js';

export type WebhookDocument = WebhookRecord & {
  team_id: string;
  /** The position of its creation. Every list is in this order. */
  created_position: Position;
};

export const webhookDocuments = collection<WebhookDocument>({
  name: 'webhooks',
  ids: 'webhook',
  indexes: [['team_id', 'created_position']],
  totals: [['team_id']],
});

export const webhooks = projection({
  name: 'webhooks',
  version: 4,
  collections: [webhookDocuments],
  on: {
    WebhookCreated: change(),
    WebhookChanged: change(),
    WebhookEnabled: change(),
    WebhookDisabled: change(),
    WebhookDeleted: change(),
  },
});

function change(): Handler<Exclude<WebhookEvent, 'WebhookSecretRotated' | 'WebhookPinged'>> {
  return {
    touches: ({ data }) => [webhookDocuments.at(data.webhook_id)],
    apply(documents, event) {
      const id = event.data.webhook_id;
      const { meta, position } = event;
      const present = documents.get(webhookDocuments, id);
      const { life, ...record } = webhook.evolve(stateOf(present), event);
      if (life === 'gone' && present !== null) documents.remove(webhookDocuments, id);
      if (life !== 'present') return;
      const origin = present ?? { team_id: meta.team_id, created_position: position };
      documents.put(webhookDocuments, id, { ...origin, ...record });
    },
  };
}

function stateOf(document: WebhookDocument | null): Webhook {
  return document === null ? webhook.initial : { life: 'present', ...document };
}
