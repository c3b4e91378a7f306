/** The port of the state. `test/contract/state.ts` holds its promises. */

/**
 * What is not derived from the log (idempotency records, leases, use of keys, requests for a rebuild), and what follows
 * from it but is done once: what the janitor still has to do (`blob-due`), which is noted anew where it was lost.
 * As durable as the log: what `put` and `remove` have answered survives any crash.
 */
export type State = {
  get<T>(kind: string, key: string): Promise<Entry<T> | null>;
  /**
   * Writes one entry if it is as `expected`: at that version, `absent`, or `any`. Answers its new version, which
   * is higher than any before it under this key, or null when it was not as expected. An entry past `expiresAt`
   * is absent, though its version still counts.
   */
  put<T>(
    kind: string,
    key: string,
    value: T,
    options: { expected: number | 'absent' | 'any'; expiresAt?: string },
  ): Promise<number | null>;
  /** Removes one entry if it is as expected; answers whether it did. */
  remove(kind: string, key: string, expected: number | 'any'): Promise<boolean>;
  /** Entries of a kind in key order (by code point), after a key. */
  list<T>(kind: string, options: { after?: string; limit: number }): Promise<Entry<T>[]>;
  /** Forgets at most `limit` entries that expired before `now`; answers how many. */
  purge(now: string, limit: number): Promise<number>;
  close(): Promise<void>;
};

export type Entry<T> = { key: string; value: T; version: number };
