import type { PageRequest } from '../page.js';

/** Who made links or badges, by the id of the person or key. Members see no keys, so a key has no name here. */
export async function makerNames(
  { people, person }: Pick<PageRequest, 'people' | 'person'>,
  made: readonly { created_by: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(made.map(({ created_by }) => created_by))];
  const nameOf = async (id: string): Promise<string> => {
    if (id === person.person_id) return 'you';
    return id.startsWith('person_') ? people.nameOf(id) : 'an API key';
  };
  return new Map(await Promise.all(ids.map(async (id) => [id, await nameOf(id)] as const)));
}
