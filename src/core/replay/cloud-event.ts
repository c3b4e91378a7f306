/** An event as the replay gives it: CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec, 1.0.2). */
import { fromUUID } from 'typeid-js';
import type { Instant, Position, RecordedEvent } from '../../domain/event.js';
import { subjectOf } from './view.js';

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
    subject: subjectOf(event),
    time: at,
    datacontenttype: 'application/json',
    dataschema: `${schemas}/${event.type}.v${event.version}`,
    position: event.position,
    correlationid: correlation_id,
    actor,
    data: event.data,
  };
}
