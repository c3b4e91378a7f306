/** A log that checks each event against its schema: always in the tests, by `VALIDATE_EVENTS` in production. */
import { parseStreamName, type NewEvent, type StreamName } from '../domain/event.js';
import { eventVersions } from '../domain/events.js';
import { CHUNK_TYPE, itemsIn, type ItemChunk } from '../domain/runs/item-chunk.js';
import type { EventLog } from '../ports/event-log.js';
import { loadSchemas } from '../validation/schemas.js';

/** @throws Error from `append`, before anything is written, for an event that breaks its schema. */
export function validatedLog(log: EventLog, schemas = loadSchemas('events')): EventLog {
  const check = (type: string, version: number, data: unknown) => {
    const name = `${type}.v${version}`;
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`no schema for the event ${name}`);
    const [fault] = schema.check(data);
    if (fault !== undefined)
      throw new Error(`the event is not a valid ${name}: ${fault.instancePath} ${fault.message}`);
  };
  const checkEvent = (stream: StreamName, { type, version, data, json }: NewEvent) => {
    const stored: unknown = json === undefined ? data : JSON.parse(json);
    if (type !== CHUNK_TYPE) return check(type, version, stored);
    for (const item of itemsIn(stored as ItemChunk, parseStreamName(stream).id))
      check('ResultSubmitted', eventVersions.ResultSubmitted, item);
  };
  return {
    ...log,
    append: async (stream, expected, events) => {
      for (const event of events) checkEvent(stream, event);
      return log.append(stream, expected, events);
    },
  };
}
