/**
 * An event in the form that the replay answers: CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec, 1.0.2).
 */
import { fromUUID } from 'typeid-js';
import { parseStreamName, type Instant, type Position, type RecordedEvent } from '../domain/event.js';

/**
 * Fields that no reader sees, by event type. The hash of a key would let its finder recognize the key. A reader's copy
 * of a sealed name would outlive the person's wish to be forgotten, and it is of no use without their key. Nor is a sealed URL.
 */
export const hiddenFields: Readonly<Record<string, readonly string[]>> = {
  KeyCreated: ['hash'],
  MemberAdded: ['sealed'],
  WebhookCreated: ['sealed'],
  WebhookChanged: ['sealed'],
};

/** The standard allows only lower-case letters and digits in names. */
export type CloudEvent = {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  time: Instant;
  datacontenttype: 'application/json';
  dataschema: string;
  position: Position;
  correlationid: string;
  actor: string;
  data: unknown;
};

/** `schemas` is the URL under which the schemas of events are served. */
export function toCloudEvent(event: RecordedEvent, schemas: string): CloudEvent {
  const { team_id, at, correlation_id, actor } = event.meta;
  return {
    specversion: '1.0',
    id: fromUUID(event.id, 'event'),
    source: `/teams/${team_id}`,
    type: event.type,
    subject: eventSubjectOf(event),
    time: at,
    datacontenttype: 'application/json',
    dataschema: `${schemas}/${event.type}.v${event.version}`,
    position: event.position,
    correlationid: correlation_id,
    actor,
    data: visibleDataOf(event),
  };
}

/** The id of the subject of the event: a project, run, result, artifact, test, webhook or team. */
function eventSubjectOf({ stream, data }: RecordedEvent): string {
  const { category, id } = parseStreamName(stream);
  // An item is in a stream of its run, but it is a result with its own id.
  return category === 'items' ? (data as { result_id: string }).result_id : id;
}

function visibleDataOf({ type, data }: RecordedEvent): unknown {
  const hidden = hiddenFields[type];
  if (hidden === undefined) return data;
  return Object.fromEntries(Object.entries(data as object).filter(([name]) => !hidden.includes(name)));
}
