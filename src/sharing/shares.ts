/**
 * What a team shows to people outside of it. Each share is an entry of State below the thing that it shows, so that it is
 * listed there, and removing that one entry ends it on every node. State holds the hash of its token only, in an entry that
 * leads to the share.
 */
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import { entriesBelow } from '../people/entries.js';
import { hashOfToken, newToken } from '../people/tokens.js';
import type { State } from '../ports/state.js';

export type Shares<T extends { id: string }> = {
  /** Returns the token of a new share below `place`. Nobody can get it again. @throws AppError `already_answered` */
  make(place: string, share: T, expiresAt?: Instant): Promise<string>;
  /** Null for a token that leads to nothing. */
  find(token: string): Promise<T | null>;
  /** All of a place, oldest first. */
  of(place: string): Promise<T[]>;
  /** Returns whether there was one. */
  remove(place: string, id: string): Promise<boolean>;
  /** Removes those of a team that are of these. */
  removeAll(team: string, isOf: (share: T) => boolean): Promise<void>;
};

/** `token`: its hash. */
type Stored<T> = { share: T; token: string };

export function openShares<T extends { id: string }>(state: State, kind: 'link' | 'badge'): Shares<T> {
  const ofToken = `${kind}-token`;
  const keyOf = (place: string, id: string) => `${place}/${id}`;

  async function remove(place: string, id: string): Promise<boolean> {
    const found = await state.get<Stored<T>>(kind, keyOf(place, id));
    if (found === null || !(await state.remove(kind, found.key, 'any'))) return false;
    await state.remove(ofToken, found.value.token, 'any');
    return true;
  }

  return {
    async make(place, share, expiresAt) {
      const token = newToken();
      const hash = hashOfToken(token)!;
      const key = keyOf(place, share.id);
      const options = { expected: 'absent', ...(expiresAt !== undefined && { expiresAt }) } as const;
      // First: a share that is listed works.
      await state.put(ofToken, hash, { key }, options);
      const value: Stored<T> = { share, token: hash };
      if ((await state.put(kind, key, value, options)) !== null) return token;
      await state.remove(ofToken, hash, 'any');
      return fail('already_answered', 'This was done before. The secret in the answer is shown only once.');
    },
    async find(token) {
      const hash = hashOfToken(token);
      if (hash === null) return null;
      const led = await state.get<{ key: string }>(ofToken, hash);
      const found = led && (await state.get<Stored<T>>(kind, led.value.key));
      return found?.value.token === hash ? found.value.share : null;
    },
    of: async (place) =>
      (await entriesBelow<Stored<T>>(state, kind, keyOf(place, ''))).map(({ value }) => value.share),
    remove,
    async removeAll(team, isOf) {
      for (const { key, value } of await entriesBelow<Stored<T>>(state, kind, `${team}/`)) {
        if (isOf(value.share)) await remove(key.slice(0, key.lastIndexOf('/')), value.share.id);
      }
    },
  };
}
