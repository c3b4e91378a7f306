/** A stored outbox with messages. */
import { history } from '../../projections/history/history.js';
import type { MessageDocument } from '../../projections/outbox/messages.js';
import type { WebhookRecord } from '../../src/domain/messages/webhook.js';
import type { ViewWriter } from '../../src/ports/views.js';
import { START, type Position } from '../../src/domain/event.js';
import type { Render } from '../../src/webhooks/outbox/payload.js';
import { asMessage, outboxPosition } from '../../src/domain/messages/message.js';
import { eventIdOf } from '../../src/domain/test-history/test.js';
import { NOW } from '../stores.js';

export const TEAM = 'team_01j00000000000000000000001';
/** A real id, because the ids of deliveries follow from its UUID. */
export const HOOK = 'webhook_01h455vb4pex5vsknk084sn02q';

export const hook: WebhookRecord = {
  webhook_id: HOOK,
  origin: 'https://example.org',
  sealed: 'sealed',
  events: ['*'],
  project_ids: null,
  enabled: true,
  reached_since: { position: START, at: NOW },
  disabled_reason: null,
  created_at: NOW,
  since: START,
};

/** The n-th message of a team: each is about a test of its own, and a second after the one before. */
export function messageOf(n: number, more: Partial<MessageDocument> = {}): MessageDocument {
  return {
    place: outboxPosition(positionOf(n), 0),
    event_id: eventIdOf(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
    type: 'test.failed',
    team_id: TEAM,
    subject: `test_${n}`,
    at: new Date(Date.parse(NOW) + n * 1_000).toISOString(),
    targets: [],
    outgoing: null,
    about: { kind: 'webhook', webhook_id: HOOK },
    ...more,
  };
}

/** Stands for rendering from the log: the body depends on nothing but the event. */
export const render: Render = async (messages) =>
  messages.map((each) => ({ ...asMessage(each), body: bodyOf(each) }));

export const bodyOf = ({ type, event_id }: Pick<MessageDocument, 'type' | 'event_id'>): string =>
  JSON.stringify({ type, event_id });

export const positionOf = (n: number): Position => String(n).padStart(20, '0');

/** Puts messages into the live build. Answers its position after that. */
export async function publish(writer: ViewWriter, messages: readonly MessageDocument[]): Promise<Position> {
  await writer.prepare(history, 1);
  const [build] = await writer.builds(history.name);
  const from = build?.position ?? START;
  const to = positionOf(Number(from) + messages.length + 1);
  await writer.commit(history, {
    build: 1,
    epoch: 1,
    from,
    to,
    changes: messages.map((message) => ({
      collection: 'messages',
      id: message.event_id,
      before: null,
      after: { ...message, position: to },
    })),
  });
  return to;
}
