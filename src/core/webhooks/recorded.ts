/**
 * The outgoing messages of the publication, and the place up to which a delivery of each is recorded: where the
 * publisher begins, and what the fan-out has done.
 */
import { publication, type MessageDocument } from '../../../projections/publication.js';
import type { Place } from '../../domain/message.js';
import type { Clock } from '../clock.js';
import type { State, ViewReader } from '../ports.js';

/** `version` of its entry in State, `absent` before the first. */
export type Recorded = { place: Place; version: number | 'absent' };

/** Before the first message. */
export const BEFORE_ALL: Place = '';

export async function readRecorded(state: State): Promise<Recorded> {
  const entry = await state.get<{ place: Place }>('publication', 'recorded');
  return entry === null
    ? { place: BEFORE_ALL, version: 'absent' }
    : { place: entry.value.place, version: entry.version };
}

/**
 * Moves on from what was read. Null where another has moved it since: a leader that lost its lease without noticing
 * must not move it back.
 */
export async function putRecorded(state: State, from: Recorded, place: Place): Promise<Recorded | null> {
  const version = await state.put('publication', 'recorded', { place }, { expected: from.version });
  return version === null ? null : { place, version };
}

/** Messages with targets after a place, in order. Fewer than `limit`: there are no more by now. */
export async function outgoingAfter(
  views: ViewReader,
  after: Place,
  { limit }: { limit: number },
): Promise<MessageDocument[]> {
  const { items } = await views.find(publication, 'messages', {
    where: { outgoing: true },
    sort: { field: 'place', direction: 'ascending' },
    range: { from: after, exclusive: true },
    limit,
  });
  return items as unknown as MessageDocument[];
}

/** Seconds since the oldest message of which no delivery is recorded; 0 where there is none. */
export async function publicationLag(state: State, views: ViewReader, clock: Clock): Promise<number> {
  const { place } = await readRecorded(state);
  const [oldest] = await outgoingAfter(views, place, { limit: 1 });
  return oldest === undefined ? 0 : Math.max(0, clock().getTime() - Date.parse(oldest.at)) / 1_000;
}
