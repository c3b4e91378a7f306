/**
 * Which keys have sealed what is in State. A start with another SECRET_KEY would read nothing of it, and seal beside it
 * what the right key cannot read: it is refused before anything is written.
 */
import type { Clock } from '../clock.js';
import type { State } from '../ports/state.js';
import { keyIds, type SecretKeys } from './secret-keys.js';

const [KIND, KEY] = ['secret-keys', 'sealed-with'];

type Record = { ids: readonly string[] };

/** Records the current key. @throws Error where State has texts of a key that is neither of the two. */
export async function refuseOtherKeys(state: State, keys: SecretKeys): Promise<void> {
  const given = keyIds(keys);
  for (;;) {
    const entry = await state.get<Record>(KIND, KEY);
    const before = entry?.value.ids ?? [];
    const missing = before.filter((id) => !given.includes(id));
    if (missing.length > 0) {
      throw new Error(
        `the state was sealed with another SECRET_KEY (key ${missing.join(', ')}; given: ${given.join(', ')}). ` +
          'Nothing was changed. Set that key again, or set it as SECRET_KEY_PREVIOUS beside the new one. ' +
          'Where it is lost, `testledger reseal --lost-key` goes on without what it has sealed',
      );
    }
    if (before.includes(given[0]!)) return;
    const value: Record = { ids: [given[0]!, ...before] };
    if ((await state.put(KIND, KEY, value, { expected: entry?.version ?? 'absent' })) !== null) return;
  }
}

/** After everything is sealed with the current key: a start needs no other one. */
export async function recordOneKey(state: State, keys: SecretKeys): Promise<void> {
  const value: Record = { ids: keyIds(keys).slice(0, 1) };
  await state.put(KIND, KEY, value, { expected: 'any' });
}

export type Resealing = { state: State; secretKeys: SecretKeys; clock: Clock };

/** `changed`: by somebody else meanwhile, so that it is to be looked at again. */
export type Resealed = 'current' | 'sealed anew' | 'changed' | 'unreadable';
