/** From rows of the log to events: full names of streams, and the JSON of events that are stored as deltas. */
import { LRUCache } from 'lru-cache';
import type { EventMeta, RecordedEvent } from '../../../domain/event.js';
import type { SqliteDatabase } from '../database.js';
import { basePosition, cutText, restored, type CutText } from './deltas.js';
import { positionOfRow, type EventRow } from './file.js';
import { fullStream } from './stream-names.js';

/** Each is up to 2,048 characters of text. Events that follow each other have few bases. */
const BASES_KEPT = 256;
const TEAMS_KEPT = 10_000;

/** `meta`: one object for all events whose meta is the base's. */
type ReadBase = { texts: { meta: CutText; data: CutText }; meta: EventMeta };

/** Prepares the function that makes an event of a row. It throws SyntaxError for a damaged row. */
export function eventReader(database: SqliteDatabase): (row: EventRow) => RecordedEvent {
  const bases = new LRUCache<number, ReadBase>({ max: BASES_KEPT });
  const teams = new LRUCache<number, string>({ max: TEAMS_KEPT });
  const selectBase = database.prepare('SELECT meta, data FROM events WHERE position = ?').raw();
  const selectTeam = database.prepare('SELECT name FROM teams WHERE id = ?').raw();

  function baseAt(position: number): ReadBase {
    const known = bases.get(position);
    if (known !== undefined) return known;
    const row = selectBase.get(position) as [meta: string, data: string] | undefined;
    if (row === undefined) throw new SyntaxError(`there is no base at position ${position}`);
    const [meta, data] = row;
    const texts = { meta: cutText(meta), data: cutText(data) };
    const base = { texts, meta: Object.freeze(JSON.parse(meta) as EventMeta) };
    bases.set(position, base);
    return base;
  }

  function teamOf(number: number): string {
    const known = teams.get(number);
    if (known !== undefined) return known;
    const row = selectTeam.get(number) as [string] | undefined;
    if (row === undefined) throw new SyntaxError(`there is no team ${number}`);
    teams.set(number, row[0]);
    return row[0];
  }

  return ([position, stream, revision, id, type, version, meta, data]) => {
    const at = basePosition(data);
    const base = at === null ? null : baseAt(at);
    const text = base === null ? { meta, data } : restored(meta, data, base.texts);
    return {
      id,
      type,
      version,
      data: JSON.parse(text.data) as unknown,
      meta: base !== null && meta === '' ? base.meta : (JSON.parse(text.meta) as EventMeta),
      stream: fullStream(stream, teamOf),
      revision,
      position: positionOfRow(position),
    };
  };
}
