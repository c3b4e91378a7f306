/**
 * The state in one SQLite file, `state.sqlite`: as durable as the log, and part of the same backup. Several threads and
 * processes may have it open. Reads use the caller's own connection, and see every write that was answered to anyone.
 */
import { instant, systemClock } from '../../../clock.js';
import type { StateEntry, State } from '../../../ports/state.js';
import { fail } from '../../../errors.js';
import { isStorableText } from '../../shared/storable-text.js';
import { openWriter } from '../writer.js';
import { inStore, openStore } from '../errors.js';
import { prepareStateFile, stateStore } from './store.js';
import type { Write, WriteResult } from './table.js';

export type SqliteStateOptions = {
  folder: string;
  /** The clock by which entries expire. */
  now?: () => string;
};

type Row = [key: string, value: string, version: number];

/** Opens the state of a folder. @throws AppError `state_unavailable` when its file cannot be used. */
export function openSqliteState({ folder, now = () => instant(systemClock) }: SqliteStateOptions): State {
  const store = stateStore(folder);
  // Before any thread opens it.
  prepareStateFile(store);
  const writer = openWriter<Write, WriteResult>(store, 'state');
  const database = openStore(store, { readonly: true, synchronous: 'NORMAL', busyTimeoutMs: 5_000 });
  const columns = 'SELECT key, value, version FROM entries WHERE kind = ?';
  const notExpired = '(expires_at IS NULL OR expires_at >= ?)';
  const byKey = database.prepare(`${columns} AND key = ? AND ${notExpired}`).raw();
  const afterKey = database.prepare(`${columns} AND key > ? AND ${notExpired} ORDER BY key LIMIT ?`).raw();
  let closed = false;

  return {
    get: async (kind, key) => {
      if (!isStorableText(key)) return null;
      const row = inStore(store, () => byKey.get([kind, key, now()])) as Row | undefined;
      return row === undefined ? null : entryOf(row);
    },
    put: async (kind, key, value, { expected, expiresAt = null }) => {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined || !isStorableText(key))
        fail('internal', `not an entry: ${JSON.stringify(key)}`);
      const put: Write = { type: 'put', kind, key, value: text, expected, expiresAt, now: now() };
      return (await writer.write(put)) as number | null;
    },
    remove: async (kind, key, expected) =>
      isStorableText(key) &&
      ((await writer.write({ type: 'remove', kind, key, expected, now: now() })) as boolean),
    list: async (kind, { after = '', limit }) =>
      // No key is empty, so every key comes after the empty text.
      inStore(store, () => afterKey.all([kind, after, now(), limit]) as Row[]).map((row) => entryOf(row)),
    purge: async (at, limit) => (await writer.write({ type: 'purge', now: at, limit })) as number,
    singleServer: true,
    close: async () => {
      if (closed) return;
      closed = true;
      await writer.close();
      database.close();
    },
  };
}

function entryOf<T>([key, value, version]: Row): StateEntry<T> {
  return { key, value: JSON.parse(value) as T, version };
}
