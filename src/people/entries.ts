/** Entries of the state that stand below another thing, such as a team: their keys begin with its id and a slash. */
import type { State, StateEntry } from '../ports/state.js';

const PAGE = 200;

/** All entries of a kind whose keys begin with `prefix`, in the order of their keys. */
export async function entriesBelow<T>(state: State, kind: string, prefix: string): Promise<StateEntry<T>[]> {
  const found: StateEntry<T>[] = [];
  for (let after = prefix, full = true; full;) {
    const page = await state.list<T>(kind, { after, limit: PAGE });
    const own = page.filter(({ key }) => key.startsWith(prefix));
    found.push(...own);
    full = own.length === PAGE;
    after = own.at(-1)?.key ?? after;
  }
  return found;
}
