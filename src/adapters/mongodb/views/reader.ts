/** Reads the live builds, from any process. */
import type { ClientSession, Db } from 'mongodb';
import { isBehind, positionIn } from '../../shared/checkpoints.js';
import type { Checkpoint, Found, ViewQuery, ViewReader } from '../../../ports/views.js';
import { collectionOf, indexFor, totalFor } from '../../shared/view-indexes.js';
import type { CollectionSpec, Document } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { openMongoStore } from '../store.js';
import { isMoved } from '../errors.js';
import { openPositionWaits } from './position-waits.js';
import { documentsById, parsed } from './layout.js';
import { pageStages } from './find.js';
import {
  COUNTED,
  documentsName,
  documentsOf,
  indexName,
  MARKER,
  registryOf,
  snapshot,
  totalId,
  type BuildDocument,
  type StoredDocument,
} from './layout.js';
import { hasFilters } from '../../shared/view-columns.js';
import { cursorAt, failRebuilding } from '../../shared/view-rules.js';

type LiveBuild = Pick<BuildDocument, '_id' | 'collections'>;

type LiveRead<T> = {
  /** Whether a build, as it was made, can answer the read at all. */
  served(collections: readonly CollectionSpec[]): boolean;
  /** Null where the build is not the live one. */
  from(db: Db, session: ClientSession, build: string): Promise<T | null>;
  /** The answer while there is no build. */
  none: T;
};

const CHECKPOINT_FIELDS = { projection: 1, checkpoints: 1 } as const;

/** How many promotions one read may meet. Each takes far longer than the read. */
const TRIES = 10;

/**
 * Opens the read models of a database for reading. They need not exist: until the writer has made them, every
 * projection is at `START`, without documents.
 * One function, because all methods share the known live builds and the waits.
 */
export function openMongoViewReader({ url }: { url: string }): ViewReader {
  const store = openMongoStore({
    url,
    code: 'views_unavailable',
    what: 'the read models',
  });
  const lives = new Map<string, LiveBuild>();

  const checkpoints = (projections: readonly string[]): Promise<Map<string, Checkpoint[]>> =>
    store.run(async (db, session) => {
      const found = await registryOf(db)
        .find(
          { projection: { $in: [...projections] }, live: true },
          { projection: CHECKPOINT_FIELDS, session, maxTimeMS: snapshot.maxTimeMS },
        )
        .toArray();
      return new Map(found.map((build) => [build.projection, build.checkpoints]));
    });
  const positionWaits = openPositionWaits(checkpoints);

  const readLive = <T>(projection: string, { served, from, none }: LiveRead<T>): Promise<T> =>
    store.run(async (db, session) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const known = lives.get(projection);
        const live = known ?? (await lookUp(db, session, projection));
        if (live === null) return none;
        if (served(live.collections)) {
          const answer = await unlessMoved(from(db, session, live._id));
          if (answer !== null) return answer;
        } else if (known === undefined) {
          failRebuilding();
        }
        // Another build may have been promoted since the look-up.
        lives.delete(projection);
      }
      return fail('views_unavailable', 'the read models are being switched', { retryAfter: 1 });
    });

  const lookUp = async (db: Db, session: ClientSession, projection: string): Promise<LiveBuild | null> => {
    const before = positionWaits.reached(projection);
    const found = await registryOf(db).findOne(
      { projection, live: true },
      { projection: { ...CHECKPOINT_FIELDS, collections: 1 }, session, ...snapshot },
    );
    // Only if the database was deleted while it was in use. Deleted documents must not look as if they had never
    // existed.
    const now = found === null ? [] : found.checkpoints;
    if (isBehind(now, before)) {
      positionWaits.wentBack(projection, now);
      fail('views_unavailable', 'the read models were deleted, and are being rebuilt from the log', {
        retryAfter: 5,
      });
    }
    if (found !== null) lives.set(projection, found);
    return found;
  };

  return {
    position: async (projection, { partition, atLeast, timeoutMs = 0 } = {}) =>
      atLeast === undefined
        ? positionIn((await checkpoints([projection])).get(projection) ?? [], partition)
        : positionWaits.wait({ projection, partition, atLeast, timeoutMs }),

    checkpoints: async (projection) => (await checkpoints([projection])).get(projection) ?? [],

    lastEvent: (projection) =>
      store.run(async (db, session) => {
        const fields = { projection: { lastEvent: 1 }, session, maxTimeMS: snapshot.maxTimeMS } as const;
        const live = await registryOf(db).findOne({ projection, live: true }, fields);
        return live?.lastEvent ?? null;
      }),

    get: async (spec, collection, ids) => {
      const { name } = collectionOf(spec, collection);
      if (ids.length === 0) return [];
      return readLive<(Document | null)[]>(spec.name, {
        served: (collections) => collections.some((one) => one.name === name),
        from: async (db, session, live) => {
          const { build, documents } = await documentsById(db, session, live, name, ids);
          return build === 'live' ? documents : null;
        },
        none: ids.map(() => null),
      });
    },

    find: async (spec, collection, query) => {
      const wanted = collectionOf(spec, collection);
      const index = indexFor(wanted, query);
      const total = totalFor(wanted, query);
      const kept = total === 'counted' ? null : total;
      const totalOf = total === 'counted' ? COUNTED : kept && totalId(kept, valuesOf(kept, query));
      return readLive<Found>(spec.name, {
        served: (collections) => {
          const made = collections.find(({ name }) => name === collection);
          const searched = query.contains === undefined || made?.searchable === wanted.searchable;
          if (made === undefined || !searched) return false;
          return hasFilters(made, query, index) && has(made.indexes, index) && has(made.totals ?? [], kept);
        },
        from: async (db, session, live) => {
          const pipeline = pageStages(documentsName(live, collection), index, query, totalOf);
          const options = { session, hint: indexName(index), batchSize: query.limit + 4, ...snapshot };
          const rows = await documentsOf(db, live, collection)
            .aggregate<StoredDocument>(pipeline, options)
            .toArray();
          const besides = new Map(rows.filter(({ _doc }) => _doc === undefined).map((row) => [row._id, row]));
          if (besides.get(MARKER)?._live !== true) return null;
          const found = foundIn(
            rows.filter(({ _doc }) => _doc !== undefined),
            query,
          );
          return totalOf === null ? found : { ...found, total: besides.get(totalOf)?._n ?? 0 };
        },
        none: { items: [], next: null, ...(total === null ? {} : { total: 0 }) },
      });
    },

    close: async () => {
      await positionWaits.close();
      await store.close();
    },
  };
}

async function unlessMoved<T>(read: Promise<T | null>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isMoved(error)) return null;
    throw error;
  }
}

function has(declared: readonly (readonly string[])[], wanted: readonly string[] | null): boolean {
  return wanted === null || declared.some((fields) => fields.join() === wanted.join());
}

function valuesOf(fields: readonly string[], { where }: ViewQuery) {
  return fields.map((field) => where[field] ?? null);
}

function foundIn(rows: readonly StoredDocument[], { limit, sort: { field } }: ViewQuery): Found {
  const page = rows.slice(0, limit);
  const items = [...parsed(page).values()];
  if (rows.length <= limit) return { items, next: null };
  return { items, next: cursorAt(items.at(-1)?.[field], page.at(-1)?._id ?? '', field) };
}
