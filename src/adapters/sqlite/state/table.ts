/** The tables of the state, their statements, and one transaction of writes. */
import type { SqliteDatabase } from '../database.js';
import { immediately } from '../transaction.js';

/**
 * A write on its way to the thread that does it. `now` comes from the caller, so that one clock alone judges an entry.
 */
export type Write =
  | {
      type: 'put';
      kind: string;
      key: string;
      value: string;
      expected: number | 'absent' | 'any';
      expiresAt: string | null;
      now: string;
    }
  | { type: 'remove'; kind: string; key: string; expected: number | 'any'; now: string }
  | { type: 'purge'; now: string; limit: number };

/** For `put`, a version or null. For `remove`, whether it removed. For `purge`, how many. */
export type WriteResult = number | boolean | null;

/**
 * One counter gives the versions of all entries, in the transaction that uses them. So the version of a key rises even
 * after its entry was removed or purged.
 */
export const STATE_TABLES = `
  CREATE TABLE entries (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at TEXT,
    PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE versions (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);
  INSERT INTO versions (one, last) VALUES (1, 0);`;

/**
 * Prepares the function that does a list of writes in one transaction: all of them or none, with one wait for the disk.
 */
export function writesOn(database: SqliteDatabase): (writes: readonly Write[]) => WriteResult[] {
  const last = database.prepare('SELECT last FROM versions').raw();
  const setLast = database.prepare('UPDATE versions SET last = ?');
  const select = database.prepare('SELECT version, expires_at FROM entries WHERE kind = ? AND key = ?').raw();
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO entries (kind, key, value, version, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM entries WHERE kind = ? AND key = ?');
  const purge = database.prepare(
    `DELETE FROM entries WHERE (kind, key) IN
       (SELECT kind, key FROM entries WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`,
  );

  const versionAt = (kind: string, key: string, now: string): number | null => {
    const row = select.get([kind, key]) as [number, string | null] | undefined;
    return row === undefined || (row[1] !== null && row[1] < now) ? null : row[0];
  };

  return (writes) =>
    immediately(database, () => {
      const before = (last.get([]) as [number])[0];
      let version = before;
      const results = writes.map((write): WriteResult => {
        if (write.type === 'purge') return purge.run([write.now, write.limit]).changes;
        const { kind, key, expected, now } = write;
        const current = versionAt(kind, key, now);
        const asExpected =
          expected === 'any' || (expected === 'absent' ? current === null : current === expected);
        if (write.type === 'remove') {
          return asExpected && current !== null && remove.run([kind, key]).changes === 1;
        }
        if (!asExpected) return null;
        version += 1;
        upsert.run([kind, key, write.value, version, write.expiresAt]);
        return version;
      });
      if (version !== before) setLast.run([version]);
      return results;
    });
}
