/**
 * The outbox: every message that webhooks may get, folded together with the histories of tests, from which messages
 * follow, with the same checkpoints. It takes events with what they change (`src/domain/test-history/result-change.ts`). GETs of tests, of runs
 * on Surface B and of failures wait for it too. Its stored name, `publication`, is older than the term.
 */
import type { HistoryChange, HistoryEvent } from '../src/domain/test-history/result-change.js';
import type { EventType, LedgerEvent, WebhookEvent } from '../src/domain/events.js';
import { outboxPosition, type Message } from '../src/domain/messages/message.js';
import {
  messageTypes,
  messageTypesOf,
  type About,
  type MessageType,
  type Occurrence,
} from '../src/domain/messages/message-types.js';
import { collection, type Documents, type Projection } from '../src/domain/projection.js';
import { partitionOf, type Partition } from '../src/domain/partition.js';
import { eventIdOf } from '../src/domain/test-history/test.js';
import { isSubscribed, webhook, type SubscribedWebhook } from '../src/domain/messages/webhook.js';
import { failures } from './failures.js';
import { projection, together, type Handler } from './projection.js';
import { entries } from './histories/entries.js';
import { knownFailures } from './histories/known-failures.js';
import { runSummaries } from './run-summaries.js';
import { runSummaryDocuments, verdictOf } from './run-summary-documents.js';
import { superseding, supersederOf } from './superseding.js';
import { testHistories } from './histories/histories.js';
import { isKnown, transitionDocuments } from './histories/transitions.js';
import { runCountDocuments, runCounts } from './message-counts.js';

/**
 * By event id. The stored names are older than the terms: `place` is the outbox position, `about` refers to the records
 * of the payload, `outgoing` is the partition of the team if the message has targets, otherwise null.
 */
export type MessageDocument = Message & { outgoing: Partition | null; about: About };

/** By team id: the webhooks of the team, as they are at the position of the build. */
export type TeamWebhooksDocument = { webhooks: readonly SubscribedWebhook[] };

export const teamWebhookDocuments = collection<TeamWebhooksDocument>({
  name: 'team_webhooks',
  ids: 'team',
  indexes: [],
});

export const messageDocuments = collection<MessageDocument>({
  name: 'messages',
  ids: 'event',
  rarelyRead: true,
  indexes: [
    ['outgoing', 'place'],
    ['team_id', 'at'],
    ['team_id', 'place'],
  ],
});

/**
 * The webhooks of a team in one document, folded with the messages: a message goes to the webhooks that were subscribed
 * when it happened.
 */
export const teamWebhooks = projection({
  name: 'team_webhooks',
  version: 1,
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
        { life: 'present', url: '', disabled_reason: null, created_at: '', ...before },
    event,
  );
  if (after.life !== 'present') {
    return before === undefined ? present : { webhooks: webhooks.filter((one) => one !== before) };
  }
  const { events, enabled, since } = after;
  if (before?.events === events && before.enabled === enabled && before.since === since) return present;
  const changed: SubscribedWebhook = { webhook_id, events, enabled, since };
  if (before === undefined) return { webhooks: [...webhooks, changed] };
  return { webhooks: webhooks.map((one) => (one === before ? changed : one)) };
}

const messages = projection<HistoryChange>({
  name: 'messages',
  version: 1,
  collections: [messageDocuments],
  on: Object.fromEntries([...messageTypesOf].map(([cause, types]) => [cause, addingMessages(types)])),
});

/** The transitions, the counts and the entries are documents of the parts before this one. */
function addingMessages(types: readonly MessageType[]): Handler<EventType, HistoryChange> {
  return {
    touches: ({ meta }) => [teamWebhookDocuments.at(meta.team_id)],
    apply(documents, event: HistoryEvent) {
      const { team_id, at } = event.meta;
      const occurrence = occurrenceOf(documents, event);
      for (const type of types) {
        const draft = messageTypes[type].trigger(occurrence);
        if (draft === null) continue;
        const { about, subject, uuid } = draft;
        const { webhooks = [] } = documents.get(teamWebhookDocuments, team_id) ?? {};
        const targets = webhooks
          .filter((one) => isTarget(one, type, about))
          .map(({ webhook_id }) => webhook_id);
        const event_id = eventIdOf(uuid);
        documents.add(messageDocuments, event_id, {
          place: outboxPosition(event.position, messageTypes[type].order),
          event_id,
          type,
          team_id,
          subject,
          at,
          targets,
          outgoing: targets.length > 0 ? partitionOf(team_id) : null,
          about,
        } satisfies MessageDocument);
      }
    },
  };
}

function occurrenceOf(documents: Documents, event: HistoryEvent): Occurrence {
  const { change } = event;
  const run = event.type === 'RunCompleted' ? event.data.run_id : (change?.result.test_run_id ?? null);
  const follows = change?.entry == null ? null : documents.get(transitionDocuments, event.id);
  const superseded =
    event.type === 'ResultSubmitted' && supersederOf(documents, event, event.data.result_id) !== null;
  return {
    event,
    transitions: follows?.transitions ?? [],
    counts: run === null ? null : documents.get(runCountDocuments, run),
    verdict:
      event.type === 'RunCompleted' ? verdictOf(documents.get(runSummaryDocuments, event.data.run_id)) : null,
    known: isKnown(documents, event),
    superseded,
  };
}

function isTarget(
  { webhook_id, enabled, events }: SubscribedWebhook,
  type: MessageType,
  about: About,
): boolean {
  if (!messageTypes[type].subscribable) return about.kind === 'webhook' && about.webhook_id === webhook_id;
  return enabled && isSubscribed(events, type);
}

/** The parts in the order in which they are folded. */
export const outbox: Projection<HistoryEvent> = together<HistoryEvent>('publication', [
  runCounts,
  teamWebhooks,
  superseding,
  knownFailures,
  testHistories,
  failures,
  runSummaries,
  entries,
  messages,
]);
