/**
 * The outbox: every message that webhooks may get. It is a part of the history, in the same fold and commit, because a message
 * follows from what a result changes in the history of its test.
 */
import type { HistoryChange, HistoryEvent } from '../../src/domain/test-history/result-change.js';
import type { Position } from '../../src/domain/event.js';
import type { EventType } from '../../src/domain/events.js';
import { outboxPosition, type Message } from '../../src/domain/messages/message.js';
import type { Occurrence } from '../../src/domain/messages/message-spec.js';
import {
  draftsOf,
  messageTypes,
  messageTypesOf,
  type MessageType,
} from '../../src/domain/messages/message-types.js';
import { collection, type Documents, type ReadableDocuments } from '../../src/domain/projection.js';
import { partitionOf, type Partition } from '../../src/domain/partition.js';
import { eventIdOf, messageIdOf } from '../../src/domain/test-history/test.js';
import { isSubscribed, type SubscribedWebhook } from '../../src/domain/messages/webhook.js';
import type { About } from '../../src/domain/messages/about.js';
import type { Draft } from '../../src/domain/messages/draft.js';
import type { FailureOfGroup } from '../../src/domain/messages/failed-groups.js';
import { numbersOf } from '../digests/digests.js';
import { failureDocuments } from '../history/failure-documents.js';
import { followedFrom } from '../history/followed.js';
import { formerKnownFailure } from '../history/known-failures.js';
import { testDocuments } from '../history/tests.js';
import { projection, type Handler } from '../projection.js';
import { runSummaryDocuments, verdictOf } from '../comparisons/run-summary-documents.js';
import { supersederOf } from '../history/superseding.js';
import { isKnown, transitionsFrom } from '../history/transitions.js';
import { runCountDocuments } from './message-counts.js';
import { failureRefs, failuresOf, tell, toldGroupDocuments } from './run-failures.js';
import { teamWebhookDocuments } from './team-webhooks.js';

/**
 * By event id. The stored names are older than the terms: `place` is the outbox position, `about` refers to the records
 * of the payload, `outgoing` is the partition of the team if the message has targets, otherwise null.
 */
export type MessageDocument = Message & { outgoing: Partition | null; about: About };

export const messageDocuments = collection<MessageDocument>({
  name: 'messages',
  ids: 'event',
  rarelyRead: true,
  indexes: [
    ['outgoing', 'place'],
    ['team_id', 'at'],
    ['team_id', 'place'],
  ],
  sparse: ['outgoing'],
});

/** Goes last: a message follows from the documents of all parts before it. */
export const messages = projection<HistoryChange>({
  name: 'messages',
  version: 5,
  collections: [messageDocuments, toldGroupDocuments],
  on: Object.fromEntries([...messageTypesOf].map(([cause, types]) => [cause, addingMessages(types)])),
});

/** The transitions, the counts and the entries are documents of the parts before this one. */
function addingMessages(types: readonly MessageType[]): Handler<EventType, HistoryChange> {
  const ofFailures = types.every((type) => type === 'test.failed' || messageTypes[type].transition !== null);
  return {
    touches: (event: HistoryEvent) => [
      teamWebhookDocuments.at(event.meta.team_id),
      ...(event.change?.entry?.status === 'Failed'
        ? [failureDocuments.at(event.change.result.test_result_id)]
        : []),
    ],
    follows: (documents, event) => (event.type === 'RunCompleted' ? failureRefs(documents, event) : null),
    apply(documents, event: HistoryEvent) {
      const { team_id } = event.meta;
      const isPlain = transitionsFrom(event).length === 0 && followedFrom(event).length === 0;
      // Nearly all events: a result that did not fail, and from which nothing follows.
      if (isPlain && ofFailures && event.change?.entry?.status !== 'Failed') return;
      const at = event.type === 'DayClosed' ? event.data.due_at : event.meta.at;
      const occurrence = occurrenceOf(documents, event);
      const { webhooks = [] } = documents.get(teamWebhookDocuments, team_id) ?? {};
      for (const type of types) {
        // Nothing follows that such a message would tell.
        if (isPlain && messageTypes[type].transition !== null) continue;
        if (!isStored(type, webhooks)) continue;
        for (const [n, draft] of draftsOf(type, occurrence).entries()) {
          const targets = webhooks
            .filter((one) => isTarget(one, type, draft.about))
            .map(({ webhook_id }) => webhook_id);
          const message = messageOf(draft, { type, n, position: event.position, team_id, at, targets });
          documents.add(messageDocuments, message.event_id, message);
        }
      }
      if (event.type === 'RunCompleted') tell(documents, event.data.run_id, occurrence.failures);
    },
  };
}

/**
 * The messages of groups follow from the one of their run, of which they are made where `recover` asks for them
 * (`src/webhooks/outbox/group-messages.ts`): as rows they would double those of a run whose failures have as many causes.
 */
function isStored(type: MessageType, webhooks: readonly SubscribedWebhook[]): boolean {
  return type !== 'group.failed' || webhooks.some(({ enabled, per }) => enabled && per === 'group');
}

type Place = Pick<MessageDocument, 'type' | 'team_id' | 'at' | 'targets'> & { position: Position; n: number };

/** `n`: its number among the messages of this type of the event at the position. */
export function messageOf(
  { about, subject, uuid, isAlone }: Draft<About>,
  { type, n, position, team_id, at, targets }: Place,
): MessageDocument {
  return {
    place: outboxPosition(position, messageTypes[type].order, n),
    event_id: isAlone === true ? messageIdOf(uuid) : eventIdOf(uuid),
    type,
    team_id,
    subject,
    at,
    targets,
    outgoing: targets.length > 0 ? partitionOf(team_id) : null,
    about,
  };
}

function occurrenceOf(documents: Documents, event: HistoryEvent): Occurrence {
  const { change } = event;
  const run = event.type === 'RunCompleted' ? event.data.run_id : (change?.result.test_run_id ?? null);
  const superseded =
    event.type === 'ResultSubmitted' && supersederOf(documents, event, event.data.result_id) !== null;
  return {
    event,
    transitions: transitionsFrom(event),
    followed: followedFrom(event),
    counts: run === null ? null : documents.get(runCountDocuments, run),
    verdict:
      event.type === 'RunCompleted' ? verdictOf(documents.get(runSummaryDocuments, event.data.run_id)) : null,
    known: isKnown(event),
    ...placeOf(documents, event),
    isNew: isNewFailure(documents, event),
    failures: event.type === 'RunCompleted' ? failuresOf(documents, event) : [],
    firstsOfGroups: firstsOfGroups(documents, event),
    knownFailure: knownFailureIn(documents, event),
    day: event.type === 'DayClosed' ? numbersOf(documents, event) : null,
    superseded,
  };
}

function placeOf(
  documents: ReadableDocuments,
  { type, data, change }: HistoryEvent,
): Pick<Occurrence, 'place' | 'tool'> {
  const run = type === 'RunCompleted' ? documents.get(runSummaryDocuments, data.run_id) : null;
  const { branch = null, environment = '' } = run ?? change?.entry ?? {};
  return { place: { branch, environment }, tool: run?.tool ?? null };
}

/**
 * The failures by which groups appeared. They may be others than that of the event: a deletion may let several count again, each of
 * another group.
 */
function firstsOfGroups(documents: ReadableDocuments, event: HistoryEvent): FailureOfGroup[] {
  return followedFrom(event).flatMap((one) => {
    const failure = one.type === 'GroupAppeared' ? documents.get(failureDocuments, one.data.result_id) : null;
    if (failure === null) return [];
    const { result_id, run_id, project_id, branch, environment = '', owner = null, known, group } = failure;
    return [{ result_id, run_id, project_id, branch, environment, owner, known, group }];
  });
}

function knownFailureIn(documents: ReadableDocuments, event: HistoryEvent): Occurrence['knownFailure'] {
  if (event.type !== 'KnownFailureSet' && event.type !== 'KnownFailureEnded') return null;
  const { test_id: id, test_name: name, project_id } = event.data;
  const test = documents.get(testDocuments, id);
  const said = event.type === 'KnownFailureEnded' ? formerKnownFailure(event) : test?.known_failure;
  if (said == null) return null;
  const { branch, environment } = said;
  return { test: { id, name, project_id }, owner: test?.owner ?? null, branch, environment };
}

/** Whether the test did not fail before, where it fails now. */
function isNewFailure(documents: ReadableDocuments, { change }: HistoryEvent): boolean {
  if (change?.entry?.status !== 'Failed') return true;
  const failure = documents.get(failureDocuments, change.result.test_result_id);
  if (failure === null) return true;
  const { failing_since: since, run_id, at } = failure;
  return since === null || (since.run_id === run_id && (run_id !== null || since.at === at));
}

function isTarget(webhook: SubscribedWebhook, type: MessageType, about: About): boolean {
  if (type === 'webhook.ping') return about.kind === 'webhook' && about.webhook_id === webhook.webhook_id;
  return webhook.enabled && isSubscribed(webhook, { type, about });
}
