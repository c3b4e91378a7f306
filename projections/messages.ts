/** The messages that an event gives webhooks (docs/api.md, section 5), but for their bodies, which the log has. */
import type { LedgerEvent } from '../src/domain/events.js';
import { messageTypes, outboxPosition, type MessageType } from '../src/domain/message.js';
import { eventIdOf, transitionId } from '../src/domain/test.js';
import type { Transition } from '../src/domain/test-history.js';
import { isSubscribed } from '../src/domain/webhook.js';
import type { About, MessageDocument, TeamWebhook } from './publication.js';
import type { RunCounts } from './run-counts.js';
import type { EnrichedEvent } from './told.js';

/** An event that something is told of, with what no stream says of that moment. */
export type Trigger = {
  event: EnrichedEvent;
  transitions: readonly Transition[];
  /** Which of the events in the test's stream the first of these is, from 0. */
  first: number;
  /** Of its run, if it has one. */
  counts: RunCounts | null;
  webhooks: readonly TeamWebhook[];
};

/** In the order in which they are told. */
export function messagesOf(occasion: Trigger): MessageDocument[] {
  const { event, transitions, counts } = occasion;
  const message = (type: MessageType, uuid: string, subject: string, about: About): MessageDocument => {
    const targets = targetsOf(occasion, type);
    return {
      place: outboxPosition(event.position, messageTypes.indexOf(type)),
      event_id: eventIdOf(uuid),
      type,
      team_id: event.meta.team_id,
      subject,
      at: event.meta.at,
      targets,
      outgoing: targets.length > 0,
      about,
    };
  };
  if (event.type === 'RunCompleted') {
    const { completion, run_id, project_id } = event.data;
    if (counts === null) return [];
    const about = { kind: 'run', run_id, project_id, completion, counts: runCounts(counts) } as const;
    return [message('run.completed', event.id, run_id, about)];
  }
  if (event.type === 'WebhookPinged') {
    const { webhook_id } = event.data;
    // A subject of its own: it is sent to see whether the endpoint answers now, and must not wait for another.
    return [message('webhook.ping', event.id, eventIdOf(event.id), { kind: 'webhook', webhook_id })];
  }
  const { told } = event;
  if (told?.entry == null) return [];
  const { test_id, entry, result } = told;
  const { test_result_id: result_id, test_run_id: run_id, project_id } = result;
  const seen = {
    kind: 'result',
    result_id,
    run_id,
    project_id,
    counts: counts === null ? null : runCounts(counts),
  } as const;
  const messages: MessageDocument[] = [];
  if (entry.status === 'Failed' && !isSuperseded(event)) {
    messages.push(message('test.failed', event.id, test_id, seen));
  }
  for (const transition of transitions) {
    const id = transitionId(test_id, event.id, transition.type);
    if (transition.type === 'TestRecovered') {
      messages.push(message('test.recovered', id, test_id, { ...seen, failure: transition.failure }));
    } else if (transition.type === 'TestBecameFlaky') {
      const { rule, evidence } = transition;
      const test = { id: test_id, name: result.test_name, project_id };
      messages.push(message('test.flaky', id, test_id, { kind: 'test', test, rule, evidence }));
    }
  }
  return messages;
}

/** Whether anything may be told of an event, whatever follows for its test. */
export function mayTrigger({ type, told }: EnrichedEvent): boolean {
  return type === 'RunCompleted' || type === 'WebhookPinged' || told?.entry != null;
}

/** Whether anything is told of it: of most results nothing is. */
export function triggers(event: EnrichedEvent, transitions: readonly Transition[]): boolean {
  if (transitions.length > 0) return true;
  return mayTrigger(event) && (event.told === undefined || event.told.entry?.status === 'Failed');
}

/** Of a submission only what stands counts: what was tried again with it is no news. */
function isSuperseded(event: LedgerEvent): boolean {
  return event.type === 'ResultSubmitted' && event.data.superseded_by !== null;
}

function targetsOf({ event, webhooks }: Trigger, type: MessageType): string[] {
  const pinged = event.type === 'WebhookPinged' ? event.data.webhook_id : null;
  return webhooks
    .filter(({ webhook_id, enabled, events }) =>
      pinged !== null ? webhook_id === pinged : enabled && isSubscribed(events, type),
    )
    .map(({ webhook_id }) => webhook_id);
}

/** Without what is only the fold's. */
function runCounts({ counts, count_snapshot }: RunCounts): RunCounts {
  return { counts, count_snapshot };
}
