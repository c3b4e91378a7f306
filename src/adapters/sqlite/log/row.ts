/** From a row of the SQLite log to an event. */
import type { RecordedEvent } from '../../../domain/event.js';
import { toPosition } from './position.js';

export type Row = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  meta: string,
  data: string,
];

/** The columns of a `Row`, of the table `events` under the name `e`. */
export const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.version, e.meta, e.data';

/** @throws SyntaxError where the row is damaged. */
export function toEvent([position, stream, revision, id, type, version, meta, data]: Row): RecordedEvent {
  return {
    id,
    type,
    version,
    data: JSON.parse(data) as unknown,
    meta: JSON.parse(meta) as RecordedEvent['meta'],
    stream,
    revision,
    position: toPosition(position),
  };
}
