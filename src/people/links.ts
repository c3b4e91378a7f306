/** Links with a random token, which work once and for a limited time. State holds the hash of the token. */
import { instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import type { State, StateEntry } from '../ports/state.js';
import { hashOfToken, newToken } from './tokens.js';

export type Links<T extends { expires_at: Instant }> = {
  /** Returns the token of a new link, and the key of its entry. */
  make(value: T): Promise<{ token: string; key: string }>;
  /** Null where the link has expired or was used. */
  find(token: string): Promise<StateEntry<T> | null>;
  /** The same by the key of its entry, which is no secret. */
  byKey(key: string): Promise<StateEntry<T> | null>;
  /** Changes a link that nobody has changed or used meanwhile, and returns whether it did. */
  replace(link: StateEntry<T>, value: T): Promise<boolean>;
  remove(link: { key: string }): Promise<void>;
};

export function openLinks<T extends { expires_at: Instant }>(
  state: State,
  kind: string,
  clock: Clock,
): Links<T> {
  async function byKey(key: string): Promise<StateEntry<T> | null> {
    const link = await state.get<T>(kind, key);
    return link !== null && link.value.expires_at > instant(clock) ? link : null;
  }

  return {
    async make(value) {
      const token = newToken();
      const key = hashOfToken(token)!;
      await state.put(kind, key, value, { expected: 'absent', expiresAt: value.expires_at });
      return { token, key };
    },
    async find(token) {
      const key = hashOfToken(token);
      return key === null ? null : byKey(key);
    },
    byKey,
    replace: async ({ key, version }, value) =>
      (await state.put(kind, key, value, { expected: version, expiresAt: value.expires_at })) !== null,
    remove: async ({ key }) => void (await state.remove(kind, key, 'any')),
  };
}

export function linkNotValid(): never {
  return fail('link_not_valid', 'The link has expired, or it was used or withdrawn.');
}
