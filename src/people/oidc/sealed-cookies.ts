/** What a browser keeps for a while, encrypted, such as a sign-in that is under way: nothing is stored for what nobody ends. */
import { addMilliseconds, instant, type Clock } from '../../clock.js';
import type { Instant } from '../../domain/event.js';
import type { Sealer } from '../../secret-key/secret-keys.js';

export type SealedCookies<T> = {
  /** The value as a cookie that works for 10 minutes. */
  make(value: T): string;
  /** Null for a cookie that has expired, or that this server has not made for this purpose. */
  read(cookie: string): T | null;
};

const LIFE_MS = 10 * 60_000;

/** `purpose`: a cookie of one purpose is none of another one. */
export function openSealedCookies<T extends object>(
  sealer: Sealer,
  purpose: string,
  clock: Clock,
): SealedCookies<T> {
  return {
    make(value) {
      const text = JSON.stringify({ ...value, expires_at: addMilliseconds(instant(clock), LIFE_MS) });
      return sealer.seal(purpose, text);
    },
    read(cookie) {
      let text: string;
      try {
        text = sealer.unseal(purpose, cookie);
      } catch {
        return null;
      }
      const value = JSON.parse(text) as T & { expires_at: Instant };
      return value.expires_at > instant(clock) ? value : null;
    },
  };
}
