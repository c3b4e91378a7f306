/** An event as the replay gives it: CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec, 1.0.2). */
import { fromUUID } from 'typeid-js';
import type { Instant, Position, RecordedEvent } from '../domain/event.js';
import { eventSubjectOf } from './view.js';

/** Fields of events that nobody is shown: by its hash a key that is found somewhere is told to be one. */
export const unshown: Readonly<Record<string, readonly string[]>> = { KeyCreated: ['hash'] };

/** The names of attributes are lower-case letters and digits. */
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

/** `schemas`: the URL below which the schemas of events are served. */
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
    data: shownOf(event),
  };
}

function shownOf({ type, data }: RecordedEvent): unknown {
  const names = unshown[type];
  if (names === undefined) return data;
  return Object.fromEntries(Object.entries(data as object).filter(([name]) => !names.includes(name)));
}
