/** From rows of the log to events: full names of streams, and the JSON of events that are stored as deltas. */
import { LRUCache } from 'lru-cache';
import type { EventMeta, RecordedEvent } from '../../../domain/event.js';
import { eventVersions } from '../../../domain/events.js';
import type { SqliteDatabase } from '../database.js';
import {
  BASE_CHARACTERS_KEPT,
  basePosition,
  baseTexts,
  restored,
  streamIdIn,
  type BaseTexts,
} from './deltas.js';
import type { EventRow } from './event-rows.js';
import { textOf } from './deflated.js';
import { positionOfRow } from './file.js';
import { fullNames } from './stream-names.js';

/** `meta`: one object for all events whose meta is the base's. */
type ReadBase = { texts: BaseTexts; size: number; meta: EventMeta };

export type EventReader = {
  /** The row of an event, which is in the file where only its position is known. */
  row(found: EventRow | number): EventRow;
  /** @throws SyntaxError for a damaged row */
  event(row: EventRow): RecordedEvent;
  /**
   * The bytes of its row and of its base. The event takes no more, but for up to four ids of its stream.
   * @throws SyntaxError as `event`
   */
  size(row: EventRow): number;
};

export function eventReader(database: SqliteDatabase): EventReader {
  const bases = new LRUCache<number, ReadBase>({
    maxSize: BASE_CHARACTERS_KEPT,
    sizeCalculation: ({ texts: { meta, data } }) => meta.text.length + data.text.length,
  });
  const fullNameOf = fullNames(database);
  const selectRow = database
    .prepare(
      'SELECT position, stream, revision, id, type, version, meta, data FROM events WHERE position = ?',
    )
    .raw();
  const selectBase = database.prepare('SELECT stream, meta, data FROM events WHERE position = ?').raw();

  function baseAt(position: number): ReadBase {
    const known = bases.get(position);
    if (known !== undefined) return known;
    const row = selectBase.get(position) as
      [stream: string, meta: string, data: string | Uint8Array] | undefined;
    if (row === undefined || typeof row[2] !== 'string' || basePosition(row[2]) !== null)
      throw new SyntaxError(`there is no base at position ${position}`);
    const [stream, meta, data] = row;
    const texts = baseTexts({ meta, data }, streamIdIn(fullNameOf(stream)));
    const size = bytesOf(meta, data);
    const base = { texts, size, meta: Object.freeze(JSON.parse(meta) as EventMeta) };
    bases.set(position, base);
    return base;
  }

  return {
    row(found) {
      if (typeof found !== 'number') return found;
      // Its data may be deflated.
      const [position, stream, revision, id, type, version, meta, data] = selectRow.get(found) as EventRow;
      return [position, stream, revision, id, type, version, meta, textOf(data)];
    },
    event([position, stored, revision, id, type, version, meta, data]) {
      const stream = fullNameOf(stored);
      const at = basePosition(data);
      const base = at === null ? null : baseAt(at);
      const text = base === null ? { meta, data } : restored({ meta, data }, base.texts, streamIdIn(stream));
      return {
        id,
        type: TYPES.get(type) ?? type,
        version,
        data: JSON.parse(text.data) as unknown,
        meta: base !== null && meta === '' ? base.meta : (JSON.parse(text.meta) as EventMeta),
        stream,
        revision,
        position: positionOfRow(position),
      };
    },
    size([, , , , , , meta, data]) {
      const at = basePosition(data);
      return bytesOf(meta, data) + (at === null ? 0 : baseAt(at).size);
    },
  };
}

/**
 * The texts of the program for those of the file: handlers are found by type, many times for each event. V8 finds a field
 * by a text of the program at once, and by another text only after it has hashed and searched that.
 */
const TYPES = new Map(Object.keys(eventVersions).map((type) => [type, type]));

function bytesOf(meta: string, data: string): number {
  return Buffer.byteLength(meta) + Buffer.byteLength(data);
}
