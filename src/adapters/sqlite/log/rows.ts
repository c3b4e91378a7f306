/** From rows of the log to events: full names of streams, and the JSON of meta and data. */
import type { EventMeta, RecordedEvent } from '../../../domain/event.js';
import { eventVersions } from '../../../domain/events.js';
import type { SqliteDatabase } from '../database.js';
import { deflatedTexts } from '../deflated.js';
import type { EventRow } from './event-rows.js';
import { positionOfRow } from './file.js';
import { fullNames } from './stream-names.js';

export type EventReader = {
  /** The row of an event, which is in the file where only its position is known. */
  row(found: EventRow | number): EventRow;
  /** @throws SyntaxError for a damaged row */
  event(row: EventRow): RecordedEvent;
};

export function eventReader(database: SqliteDatabase): EventReader {
  const fullNameOf = fullNames(database);
  const { textOf } = deflatedTexts(database);
  const selectRow = database
    .prepare(
      'SELECT position, stream, revision, id, type, version, text_bytes, body FROM events WHERE position = ?',
    )
    .raw();

  return {
    row: (found) => (typeof found === 'number' ? (selectRow.get(found) as EventRow) : found),
    event([position, stored, revision, id, type, version, , body]) {
      const stream = fullNameOf(stored);
      const text = textOf(typeof body === 'string' ? Buffer.from(body, 'hex') : body, stream);
      const [meta, data] = JSON.parse(text) as [EventMeta, unknown];
      return {
        id,
        type: TYPES.get(type) ?? type,
        version,
        data,
        meta,
        stream,
        revision,
        position: positionOfRow(position),
      };
    },
  };
}

/**
 * The texts of the program for those of the file: handlers are found by type, many times for each event. V8 finds a field
 * by a text of the program at once, and by another text only after it has hashed and searched that.
 */
const TYPES = new Map(Object.keys(eventVersions).map((type) => [type, type]));
