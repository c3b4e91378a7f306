/** Where a text was, by id and field, in pages: the text itself is in no store any more. */
import type { State } from '../ports/state.js';
import type { Place } from './find-text.js';

const KIND = 'redaction-places';
const PLACES = 500;

/** A repeat after a crash finds what is not done yet, and notes it once more at most. */
export async function notePlaces(
  state: Pick<State, 'put'>,
  redaction: string,
  places: readonly Place[],
): Promise<void> {
  for (let from = 0; from < places.length; from += PLACES) {
    const page = places.slice(from, from + PLACES);
    const { type, id, field } = page[0]!;
    await state.put(KIND, `${redaction}/${type}/${id}/${field}`, page, { expected: 'any' });
  }
}

export async function* notedPlaces(
  state: Pick<State, 'list'>,
  redaction: string,
): AsyncGenerator<readonly Place[], void> {
  const prefix = `${redaction}/`;
  for (let after = prefix; ;) {
    const pages = await state.list<readonly Place[]>(KIND, { after, limit: 20 });
    for (const { key, value } of pages) {
      if (!key.startsWith(prefix)) return;
      yield value;
      after = key;
    }
    if (pages.length === 0) return;
  }
}
