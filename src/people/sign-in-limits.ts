/**
 * Limits the guesses of passwords, by address, by its network and by e-mail. Every attempt takes a point before its
 * password is looked at, so that many at once count; a right one gives it back. An attempt that is refused takes none,
 * and leaves nothing behind. Proofs of one account are limited too, right ones as well: each is the work of a second.
 */
import { openPoints, type Points } from '../concurrency/points.js';
import { unshared, type SharedPoints } from '../concurrency/shared-points.js';
import { fail } from '../errors.js';
import { networkOf, oneClient } from './client.js';

/** `right`: it was no guess. `undone`: it says nothing about a password, as where the server was too busy. */
export type Attempt = { right(): void; undone(): void };

export type SignInLimits = {
  /**
   * Takes the points of one attempt. @throws AppError `rate_limited`.
   * `address`: null where a link, which cannot be guessed, leads to the attempt. `email`: null where no password is
   * guessed, but the identity provider asked.
   */
  attempt(from: { address: string | null; email: string | null }): Attempt;
};

const [QUARTER_HOUR_MS, HOUR_MS] = [15 * 60_000, 60 * 60_000];

/** `shared`: with the other processes that let the same people in. */
export function openSignInLimits(shared: SharedPoints = unshared): SignInLimits {
  const kinds: Readonly<Record<string, Points>> = {
    address: openPoints(20, QUARTER_HOUR_MS),
    // The least that a provider gives to a site is a /48 of IPv6, which has 65,536 networks.
    site: openPoints(200, QUARTER_HOUR_MS),
    email: openPoints(10, QUARTER_HOUR_MS),
    proofs: openPoints(30, HOUR_MS),
  };
  const pointsOf = (key: string) => kinds[key.slice(0, key.indexOf(' '))];
  shared.onTakenElsewhere((key, points) => pointsOf(key)?.take(key, points));

  function takeFrom(keys: readonly string[], points: number): void {
    for (const key of keys) {
      pointsOf(key)!.take(key, points);
      shared.taken(key, points);
    }
  }

  return {
    attempt({ address, email }) {
      const site = address === null ? null : networkOf(address, { v4: 32, v6: 48 });
      const guesses = [
        ...(address === null ? [] : [`address ${oneClient(address)}`]),
        ...(site?.includes(':') === true ? [`site ${site}`] : []),
        ...(email === null ? [] : [`email ${email}`]),
      ];
      const proofs = email === null ? [] : [`proofs ${email}`];
      const wait = Math.max(...[...guesses, ...proofs].map((key) => pointsOf(key)!.waitMs(key)));
      if (wait > 0) {
        const detail = 'There were too many attempts to sign in. Wait, or set a new password.';
        fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
      }
      takeFrom([...guesses, ...proofs], 1);
      return {
        right: () => takeFrom(guesses, -1),
        undone: () => takeFrom([...guesses, ...proofs], -1),
      };
    },
  };
}
