/** The messages that an event gives webhooks, rendered: api-decisions, section 4; Standard Webhooks 1.0. */
import type { LedgerEvent } from '../src/domain/events.js';
import { messageTypes, placeOf, type Message, type MessageType } from '../src/domain/message.js';
import type { ProjectRecord } from '../src/domain/project.js';
import type { ResultRecord } from '../src/domain/result.js';
import { eventIdOf, transitionId } from '../src/domain/test.js';
import type { Transition } from '../src/domain/test-history.js';
import type { MessageDocument, TeamWebhook } from './publication.js';
import { projectRecord, resultRecord, runRecord } from './records.js';
import type { RunCountsDocument } from './run-counts.js';
import { render } from './rendered.js';
import type { ToldEvent } from './told.js';

/** An event that something may be told of, with all that was there when it happened. */
export type Occasion = {
  event: ToldEvent;
  transitions: readonly Transition[];
  /** Which of the events in the test's stream the first of these is, from 0. */
  first: number;
  run: RunCountsDocument | null;
  project: ProjectRecord | null;
  webhooks: readonly TeamWebhook[];
};

/** A result with what stands elsewhere: its run's label, and the retry that superseded it. */
export type SeenResult = ResultRecord & { superseded_by: string | null; test_run_label: string | null };

/**
 * In the order in which they are told. `failure`: the result that a recovery ends, as it stood at the event; null where
 * it is there no more.
 */
export function messagesOf(occasion: Occasion, failure: SeenResult | null): MessageDocument[] {
  const { event, transitions, run, project } = occasion;
  const projectData = project === null ? null : projectRecord(project);
  const message = (type: MessageType, uuid: string, subject: string, data: object): MessageDocument => {
    const targets = targetsOf(occasion, type);
    const { team_id, at } = event.meta;
    const told: Message = {
      place: placeOf(event.position, messageTypes.indexOf(type)),
      event_id: eventIdOf(uuid),
      type,
      team_id,
      subject,
      at,
      targets,
      body: render(type, at, data),
    };
    return { ...told, outgoing: targets.length > 0 };
  };
  switch (event.type) {
    case 'RunCompleted': {
      if (run === null) return [];
      const { completion, run_id } = event.data;
      const data = { run: runRecord(run, run), completion, project: projectData };
      return [message('run.completed', event.id, run_id, data)];
    }
    case 'WebhookPinged': {
      const { webhook_id } = event.data;
      return [message('webhook.ping', event.id, webhook_id, { webhook_id })];
    }
    default:
      break;
  }
  const { told } = event;
  if (told?.entry == null) return [];
  const { test_id, entry } = told;
  const label = run?.label ?? null;
  const common = {
    result: resultRecord(told.result, label),
    run: run === null ? null : runRecord(run, run),
    project: projectData,
  };
  const messages: MessageDocument[] = [];
  if (entry.status === 'Failed' && !isSuperseded(event)) {
    messages.push(message('test.failed', event.id, test_id, common));
  }
  for (const transition of transitions) {
    const id = transitionId(test_id, event.id, transition.type);
    if (transition.type === 'TestRecovered') {
      const data = {
        ...common,
        failure: failure === null ? null : resultRecord(failure, failure.test_run_label),
      };
      messages.push(message('test.recovered', id, test_id, data));
    } else if (transition.type === 'TestBecameFlaky') {
      const { test_name: name, project_id } = told.result;
      const { rule, evidence } = transition;
      const test = { id: test_id, name, project_id };
      messages.push(message('test.flaky', id, test_id, { test, rule, evidence, project: projectData }));
    }
  }
  return messages;
}

/** Whether anything may be told of an event, whatever follows for its test. */
export function mayBeTold({ type, told }: ToldEvent): boolean {
  return type === 'RunCompleted' || type === 'WebhookPinged' || told?.entry != null;
}

/** Whether anything is told of it: of most results nothing is. */
export function isTold(event: ToldEvent, transitions: readonly Transition[]): boolean {
  if (transitions.length > 0) return true;
  return mayBeTold(event) && (event.told === undefined || event.told.entry?.status === 'Failed');
}

/** Of a submission only what stands counts: what was tried again with it is no news. */
function isSuperseded(event: LedgerEvent): boolean {
  return event.type === 'ResultSubmitted' && event.data.superseded_by !== null;
}

function targetsOf({ event, webhooks }: Occasion, type: MessageType): string[] {
  const pinged = event.type === 'WebhookPinged' ? event.data.webhook_id : null;
  return webhooks
    .filter(({ webhook_id, enabled, events }) =>
      pinged !== null ? webhook_id === pinged : enabled && (events.includes(type) || events.includes('*')),
    )
    .map(({ webhook_id }) => webhook_id);
}
