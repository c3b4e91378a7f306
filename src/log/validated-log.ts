/** A log that checks each event against its schema: always in the tests, by `VALIDATE_EVENTS` in production. */
import type { NewEvent } from '../domain/event.js';
import type { EventLog } from '../ports/event-log.js';
import { loadSchemas } from '../validation/schemas.js';

/** @throws Error from `append`, before anything is written, for an event that breaks its schema. */
export function validatedLog(log: EventLog, schemas = loadSchemas('events')): EventLog {
  const check = (event: NewEvent) => {
    const name = `${event.type}.v${event.version}`;
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`no schema for the event ${name}`);
    const [fault] = schema.check(event.json === undefined ? event.data : JSON.parse(event.json));
    if (fault !== undefined)
      throw new Error(`the event is not a valid ${name}: ${fault.instancePath} ${fault.message}`);
  };
  return {
    ...log,
    append: async (stream, expected, events) => {
      events.forEach(check);
      return log.append(stream, expected, events);
    },
  };
}
