/** The port of the state. `test/contract/state/contract.ts` tests its promises. */

/**
 * Entries that are not folded from the log: idempotency records, leases, the use of keys, requests for a rebuild,
 * cleanup tasks. As durable as the log: everything that `put` and `remove` have answered survives any crash.
 *
 * - An entry belongs to its kind and its key. Its value is JSON, and comes back as it was when `put` was called.
 * - Every opening of the store sees a write as soon as it is answered.
 * - Of several writes that expect the same version, or an absent entry, exactly one succeeds. Writes of one caller take
 *   effect in the order of the calls, without waiting for the answers.
 */
export type State = {
  get<T>(kind: string, key: string): Promise<StateEntry<T> | null>;
  /**
   * Writes one entry if it is as `expected`: at that version, `absent`, or `any`. Returns its new version, or null when
   * the entry was not as expected. The new version is higher than every earlier one of this key, also after the entry
   * was removed or has expired. An entry past `expiresAt` is absent.
   */
  put<T>(
    kind: string,
    key: string,
    value: T,
    options: { expected: number | 'absent' | 'any'; expiresAt?: string },
  ): Promise<number | null>;
  /** Removes one entry if it is as expected, and returns whether it did. */
  remove(kind: string, key: string, expected: number | 'any'): Promise<boolean>;
  /**
   * The entries of a kind in the order of their keys (by code point), after a key. Only the end makes a list shorter.
   */
  list<T>(kind: string, options: { after?: string; limit: number }): Promise<StateEntry<T>[]>;
  /** Deletes up to `limit` entries that expired before `now`. Returns how many. */
  purge(now: string, limit: number): Promise<number>;
  /**
   * True: only one server process at a time has this state open, so leases and reservations of an earlier start are
   * void. False: other servers share it, and what they hold stays valid until it expires.
   */
  readonly singleServer: boolean;
  /** Waits for the calls under way. Later calls throw AppError `state_unavailable`. */
  close(): Promise<void>;
};

export type StateEntry<T> = { key: string; value: T; version: number };
