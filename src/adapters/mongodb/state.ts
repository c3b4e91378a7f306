/**
 * The state in a MongoDB database of its own, beside that of the read models. A majority of the servers has on disk
 * what MongoDB has answered. An entry is one document, so every write is one command and needs no transaction.
 */
import { instant, systemClock } from '../../clock.js';
import type { ClientSession, Collection, Document as Stage, Filter } from 'mongodb';
import type { StateEntry, State } from '../../ports/state.js';
import { fail } from '../../errors.js';
import { openMongoStore, untilDone, type RunOptions } from './store.js';
import { isDuplicate } from './errors.js';
import { isStorableText } from '../shared/storable-text.js';

export type MongoStateOptions = {
  url: string;
  /** The clock by which entries expire. */
  now?: () => string;
};

/** `_id` is the kind, NUL and the key: one index finds an entry, and lists a kind in the order of its keys. */
export type StoredEntry = { _id: string; value: string; version: number; expires_at: string };

/** The expiry of an entry that does not expire. It sorts after every instant. */
const NEVER = '~';

/**
 * Prepares the state of a database. It connects with the first call.
 * Long because it is a port: each method is short.
 * @throws Error for a bad URL.
 */
export function openMongoState({ url, now = () => instant(systemClock) }: MongoStateOptions): State {
  const store = openMongoStore({
    url,
    suffix: '_state',
    code: 'state_unavailable',
    what: 'the entries of the state',
  });
  let indexed: Promise<unknown> | null = null;

  const makeIndex = (all: Collection<StoredEntry>): Promise<unknown> =>
    (indexed ??= untilDone(() => all.createIndex({ expires_at: 1 }, { name: 'entries_by_expiry' })).catch(
      (error: unknown) => {
        indexed = null;
        throw error;
      },
    ));

  const entries = <T>(
    work: (entries: Collection<StoredEntry>, options: CommandOptions) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> =>
    store.run(async (db, session) => {
      const all = db.collection<StoredEntry>('entries');
      await makeIndex(all);
      return work(all, { session, maxTimeMS: 4_000 });
    }, options);

  return {
    get: async <T>(kind: string, key: string) => {
      if (!isStorableText(key)) return null;
      const wanted = { _id: idOf(kind, key), ...notExpired(now()) };
      const found = await entries((all, options) => all.findOne(wanted, options));
      return found === null ? null : entryOf<T>(kind, found);
    },

    put: async (kind, key, value, { expected, expiresAt = NEVER }) => {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined || !isStorableText(key))
        return fail('internal', `not an entry: ${JSON.stringify(key)}`);
      const _id = idOf(kind, key);
      const filter: Filter<StoredEntry> = { _id, ...asExpected(expected, now()) };
      const change = putting(_id, text, expiresAt);
      const put = {
        // Only these two make an entry. A write that expects a version never does.
        upsert: expected === 'absent' || expected === 'any',
        returnDocument: 'after',
        projection: { version: 1 },
      } as const;
      return entries(
        async (all, options) => {
          try {
            return (await all.findOneAndUpdate(filter, change, { ...options, ...put }))?.version ?? null;
          } catch (error) {
            // There is an entry, and it has not expired.
            if (expected === 'absent' && isDuplicate(error)) return null;
            throw error;
          }
        },
        { queue: _id, once: true },
      );
    },

    remove: async (kind, key, expected) => {
      if (!isStorableText(key)) return false;
      const _id = idOf(kind, key);
      const version = expected === 'any' ? {} : { version: expected };
      const wanted = { _id, ...version, ...notExpired(now()) };
      const { deletedCount } = await entries((all, options) => all.deleteOne(wanted, options), {
        queue: _id,
        once: true,
      });
      return deletedCount === 1;
    },

    list: async <T>(kind: string, { after = '', limit }: { after?: string; limit: number }) => {
      const found = await entries((all, options) =>
        all
          .find(ofKind(kind, after, now()), { ...options, batchSize: limit + 1 })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map((entry) => entryOf<T>(kind, entry));
    },

    purge: (at, limit) =>
      entries(async (all, options) => {
        const expired = await all
          .find({ expires_at: { $lt: at } }, { ...options, projection: { _id: 1 } })
          .sort({ expires_at: 1 })
          .limit(limit)
          .toArray();
        // An entry that was put again in the meantime stays.
        const gone = { _id: { $in: expired.map(({ _id }) => _id) }, expires_at: { $lt: at } };
        return (await all.deleteMany(gone, options)).deletedCount;
      }),

    singleServer: false,
    close: () => store.close(),
  };
}

type CommandOptions = { session: ClientSession; maxTimeMS: number };

/**
 * A version is the cluster's own time, which no server ever turns back. So the version of a key rises even after its
 * entry was removed or purged, and nothing of it is left. It is a whole number below 2^53, with room for two million
 * writes per second.
 */
const clusterTime: Stage = {
  $add: [{ $multiply: [{ $tsSecond: '$$CLUSTER_TIME' }, 2 ** 21] }, { $tsIncrement: '$$CLUSTER_TIME' }],
};

function putting(_id: string, value: string, expires_at: string): Stage[] {
  const next = { $max: [clusterTime, { $add: [{ $ifNull: ['$version', 0] }, 1] }] };
  const [id, text, expiry] = [_id, value, expires_at].map((literal) => ({ $literal: literal }));
  return [{ $replaceWith: { _id: id, value: text, version: next, expires_at: expiry } }];
}

function asExpected(expected: number | 'absent' | 'any', at: string): Filter<StoredEntry> {
  if (expected === 'any') return {};
  // An expired entry is replaced. One that has not expired makes the insertion fail.
  return expected === 'absent' ? { expires_at: { $lt: at } } : { version: expected, ...notExpired(at) };
}

function notExpired(at: string): Filter<StoredEntry> {
  return { expires_at: { $gte: at } };
}

function ofKind(kind: string, after: string, at: string): Filter<StoredEntry> {
  return { _id: { $gt: idOf(kind, after), $lt: `${kind}\u0001` }, ...notExpired(at) };
}

function idOf(kind: string, key: string): string {
  return `${kind}\0${key}`;
}

function entryOf<T>(kind: string, { _id, value, version }: StoredEntry): StateEntry<T> {
  return { key: _id.slice(kind.length + 1), value: JSON.parse(value) as T, version };
}
