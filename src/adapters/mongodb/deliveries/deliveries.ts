/**
 * Deliveries in the database of the state. Each change of a document stands alone and needs no transaction. A crash
 * between two commands may leave a delivery blocked with nothing before it: `unblock` finds such deliveries.
 */
import type { Filter, MongoBulkWriteError, Sort } from 'mongodb';
import type { Instant } from '../../../domain/event.js';
import type { Deliveries, StatedDelivery } from '../../../ports/deliveries.js';
import { isStorableText } from '../../shared/storable-text.js';
import { openMongoStore } from '../store.js';
import {
  earliest,
  findClaimable,
  findWebhooksWithBlocked,
  findWebhooksWithDue,
  unblock,
} from './claimable.js';
import {
  fromStored,
  makeIndexesOnce,
  toStored,
  type AllDeliveries,
  type CommandOptions,
  type WithDeliveries,
  type StoredDelivery,
} from './layout.js';
import { openPuts } from './put.js';

/** The most deliveries that are added, or changed, at once. */
const PAGE = 500;
/** Counting reads as much of an index as it counts. Beyond this number, an exact count is worth less than it costs. */
const MOST_COUNTED = 100_000;

/** Writes that come while others are under way are one command (`put.ts`). */
const MOST_UNRECORDED = 64;

/** Prepares the deliveries of a database. It connects with the first call. @throws Error for a bad URL. */
export function openMongoDeliveries({ url }: { url: string }): Deliveries {
  const store = openMongoStore({
    url,
    suffix: '_state',
    code: 'state_unavailable',
    what: 'the deliveries',
  });
  const makeIndexes = makeIndexesOnce();
  const run: WithDeliveries = (work, options = {}) =>
    store.run(async (db, session) => {
      const all = db.collection<StoredDelivery>('deliveries');
      await makeIndexes(all);
      return work(all, { session, maxTimeMS: 4_000 });
    }, options);

  return {
    add: async (added) => {
      let count = 0;
      for (let from = 0; from < added.length; from += PAGE) {
        const page = added.slice(from, from + PAGE).map(toStored);
        count += await run((all, { session }) => insertNew(all, page, session));
      }
      return count;
    },
    claimable: (webhook, now, limit) => findClaimable(run, webhook, now, limit),
    webhooksWithClaimable: (now, { after = '', limit }) => findWebhooksWithDue(run, now, after, limit),
    webhooksWithBlocked: ({ after = '', limit }) => findWebhooksWithBlocked(run, after, limit),
    put: openPuts(run),
    get: async (id) => {
      if (!isStorableText(id)) return null;
      const found = await run((all, options) => all.findOne({ _id: id }, options));
      return found === null ? null : fromStored(found);
    },
    statesOf: async (ids) => {
      const found: StatedDelivery[] = [];
      for (let from = 0; from < ids.length; from += PAGE) {
        const page = ids.slice(from, from + PAGE).filter(isStorableText);
        found.push(...(await run((all, options) => statesIn(all, options, page))));
      }
      return found;
    },
    find: async (webhook, query) =>
      isStorableText(webhook) ? findDeliveries(run, webhook, query) : { items: [], total: 0 },
    updatePending: (webhook, change, now) =>
      change === 'unblock' ? unblock(run, webhook, now) : changePending(run, webhook, change, now),
    reschedule: (after, now, limit) =>
      run(async (all, options) => {
        const late: Filter<StoredDelivery> = { webhook_id: { $gt: '' }, next_attempt_at: { $gt: after } };
        const ids = await idsOf(all, { ...options, hint: 'deliveries_due' }, late, limit);
        const queued = { created_at: { $min: ['$created_at', now] }, next_attempt_at: now };
        const times = { scheduled_at: null, earliest_at: null, version: { $add: ['$version', 1] } };
        const these = { _id: { $in: ids }, ...late };
        return (await all.updateMany(these, [{ $set: { ...queued, ...times } }], options)).modifiedCount;
      }),
    pending: () =>
      run((all, options) =>
        all.countDocuments(
          { state: 'pending' },
          { ...options, limit: MOST_COUNTED, hint: 'deliveries_finished' },
        ),
      ),
    mostUnrecorded: MOST_UNRECORDED,

    purge: (before, limit) =>
      run(async (all, options) => {
        const filter: Filter<StoredDelivery> = {
          state: { $in: ['delivered', 'exhausted', 'cancelled'] },
          finished_at: { $lt: before },
        };
        const old = await idsOf(all, options, filter, limit, { finished_at: 1 });
        return (await all.deleteMany({ _id: { $in: old }, ...filter }, options)).deletedCount;
      }),
    close: () => store.close(),
  };
}

async function statesIn(
  all: AllDeliveries,
  options: CommandOptions,
  ids: readonly string[],
): Promise<StatedDelivery[]> {
  const projection = { webhook_id: 1, state: 1 } as const;
  const found = await all.find({ _id: { $in: [...ids] } }, { ...options, projection }).toArray();
  return found.map(({ _id: id, webhook_id, state }) => ({ id, webhook_id, state }));
}

async function findDeliveries(
  run: WithDeliveries,
  webhook: string,
  { direction, offset, limit, state, after }: Parameters<Deliveries['find']>[1],
): ReturnType<Deliveries['find']> {
  const filter: Filter<StoredDelivery> = {
    webhook_id: webhook,
    ...(state !== undefined && { state }),
    ...(after !== undefined && { place: { $gt: after } }),
  };
  const [items, total] = await Promise.all([
    run((all, options) =>
      all
        .find(filter, options)
        .sort({ place: direction === 'ascending' ? 1 : -1 })
        .skip(offset)
        .limit(limit)
        .toArray(),
    ),
    run((all, options) =>
      all.countDocuments(filter, {
        ...options,
        limit: MOST_COUNTED,
        hint: state === undefined ? 'deliveries_by_place' : 'deliveries_by_state',
      }),
    ),
  ]);
  return { items: items.map((each) => fromStored(each).delivery), total };
}

async function changePending(
  run: WithDeliveries,
  webhook: string,
  change: 'retry-now' | 'cancel',
  now: Instant,
): Promise<number> {
  const filter: Filter<StoredDelivery> =
    change === 'cancel'
      ? { webhook_id: webhook, state: 'pending', created_at: { $lte: now } }
      : {
          webhook_id: webhook,
          next_attempt_at: { $gt: now },
          $expr: { $gt: ['$next_attempt_at', earliest] },
        };
  const set =
    change === 'cancel'
      ? { state: 'cancelled', next_attempt_at: null, finished_at: now }
      : { next_attempt_at: { $max: [now, earliest] } };
  const values = { ...set, version: { $add: ['$version', 1] } };
  for (let changed = 0; ;) {
    const piece = await run(async (all, options) => {
      const ids = await idsOf(all, options, filter, PAGE);
      const these = { _id: { $in: ids }, ...filter };
      const done = await all.updateMany(
        these,
        [{ $set: values }, ...(change === 'cancel' ? [{ $unset: 'body' }] : [])],
        options,
      );
      return { found: ids.length, done: done.modifiedCount };
    });
    changed += piece.done;
    if (piece.found < PAGE) return changed;
  }
}

/** Leaves existing deliveries as they are. */
async function insertNew(
  all: AllDeliveries,
  page: StoredDelivery[],
  session: CommandOptions['session'],
): Promise<number> {
  try {
    return (await all.insertMany(page, { session, ordered: false })).insertedCount;
  } catch (error) {
    const { writeErrors = [], insertedCount = 0 } = error as Partial<MongoBulkWriteError>;
    const refused = [writeErrors].flat();
    if (refused.length === 0 || !refused.every(({ code }) => code === 11000)) throw error;
    return insertedCount;
  }
}

async function idsOf(
  all: AllDeliveries,
  options: CommandOptions & { hint?: string },
  filter: Filter<StoredDelivery>,
  limit: number,
  sort: Sort = {},
): Promise<string[]> {
  // MongoDB takes a limit of 0 for no limit.
  if (limit === 0) return [];
  const found = await all
    .find(filter, options)
    .project<{ _id: string }>({ _id: 1 })
    .sort(sort)
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}
