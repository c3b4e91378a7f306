/** Who made the keys of a page: persons and other keys, by name. */
import type { components } from '../../../client/api.generated.js';
import type { KeyRole } from '../../../domain/teams/team.js';
import type { Member } from '../../../people/people.js';
import type { PageRequest } from '../../page.js';

export type Key = components['schemas']['Key'];

/** By their id. `role`: that of a person now; null for one who has left. */
export type Makers = ReadonlyMap<string, { name: string; role?: KeyRole | null }>;

/** `before`: how many keys the list has before these, the oldest first. */
export async function makersOf(
  request: PageRequest,
  { keys, before }: { keys: readonly Key[]; before: number },
  members: readonly Member[],
): Promise<Makers> {
  const { people, person } = request;
  const makers = new Map<string, { name: string; role?: KeyRole | null }>();
  for (const { person_id, name, role } of members) {
    makers.set(person_id, { name: person_id === person.person_id ? 'you' : name, role });
  }
  const ids = [...new Set(keys.flatMap(({ created_by }) => created_by ?? []))];
  const gone = ids.filter((id) => id.startsWith('person_') && !makers.has(id));
  const [names, ofKeys] = await Promise.all([
    Promise.all(gone.map((id) => people.nameOf(id))),
    keyNames(
      request,
      { keys, before },
      ids.filter((id) => id.startsWith('key_')),
    ),
  ]);
  gone.forEach((id, n) => makers.set(id, { name: names[n]!, role: null }));
  for (const [id, name] of ofKeys) makers.set(id, { name });
  return makers;
}

/** The most that the API answers in one call. */
const AT_ONCE = 100;

/**
 * A key is older than those that it made, so it is on the same page or an earlier one. Nearly always it is one of the
 * first keys of the team: the oldest are read first, and no more than it takes.
 */
async function keyNames(
  { api }: PageRequest,
  { keys, before }: { keys: readonly Key[]; before: number },
  wanted: readonly string[],
): Promise<Map<string, string>> {
  const known = new Map(keys.map(({ id, name }) => [id, name]));
  const isKnown = (id: string): boolean => known.has(id);
  for (let page = 1; (page - 1) * AT_ONCE < before && !wanted.every(isKnown); page += 1) {
    const { data } = await api.get('/v1/keys', { query: { page, per_page: AT_ONCE } });
    for (const { id, name } of data) known.set(id, name);
  }
  return new Map(
    wanted.map((id) => {
      const name = known.get(id);
      // The list keeps only the newest of the keys that were revoked.
      return [id, name === undefined ? 'a key that was revoked' : `the key “${name}”`];
    }),
  );
}
