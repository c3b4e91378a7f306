/**
 * Deliveries in the database of the state. Each change is one command on one document, and needs no transaction: what a
 * crash may leave behind between two commands, a delivery set aside with nothing before it, is what `release` looks for.
 */
import type { Filter, MongoBulkWriteError, Sort } from 'mongodb';
import type { Deliveries, VersionedDelivery } from '../../../ports/deliveries.js';
import type { Delivery } from '../../../domain/delivery.js';
import type { Instant } from '../../../domain/event.js';
import {
  candidates,
  earliest,
  firstAside,
  heads,
  makeNextDue,
  notAside,
  release,
  setAside,
  type All,
  type Candidate,
  type Options,
  type Run,
  type StoredDelivery,
} from './claimable.js';
import { deliveryIndexes } from './indexes.js';
import { openMongoStore } from '../store.js';
import { isStorableText } from '../../shared/storable-text.js';

/** Deliveries looked at, or changed, at once. */
const PAGE = 500;
/** Counting reads as much of an index as there is: beyond so many nobody wants to know exactly. */
const COUNTED = 100_000;

/** Prepares the deliveries of a database. It connects with the first call. @throws Error for a bad url. */
export function openMongoDeliveries({ url }: { url: string }): Deliveries {
  const store = openMongoStore({
    url,
    suffix: '_state',
    code: 'state_unavailable',
    what: 'the deliveries',
  });
  const indexed = deliveryIndexes();
  const deliveries: Run = (work, options = {}) =>
    store.run(async (db, session) => {
      const all = db.collection<StoredDelivery>('deliveries');
      await indexed(all);
      return work(all, { session, maxTimeMS: 4_000 });
    }, options);

  return {
    add: async (added) => {
      let count = 0;
      for (let from = 0; from < added.length; from += PAGE) {
        const page = added.slice(from, from + PAGE).map(storedOf);
        count += await deliveries((all, { session }) => insertNew(all, page, session));
      }
      return count;
    },

    claimable: async (webhook, now, limit) => {
      const found: VersionedDelivery[] = [];
      // Most that are due can be taken. Where many wait behind one, ever more are looked at, each of them once.
      let size = Math.min(limit + 8, PAGE);
      for (let last: Candidate | undefined; found.length < limit; size = Math.min(2 * size, PAGE)) {
        const page = await candidates(deliveries, { webhook, now, last, limit: size });
        const subjects = page.map(({ subject }) => subject);
        const lowest = await heads(deliveries, webhook, subjects);
        const ids: string[] = [];
        const behind: Candidate[] = [];
        for (const candidate of page) {
          if (ids.length + found.length === limit) break;
          const head = lowest.get(candidate.subject);
          if (head === candidate._id) ids.push(candidate._id);
          else if (head !== undefined) behind.push(candidate);
        }
        if (behind.length > 0) await setAside(deliveries, { webhook, behind, now });
        const read = await deliveries((all, options) =>
          all.find({ _id: { $in: ids }, next_attempt_at: notAside }, options).toArray(),
        );
        const byId = new Map(read.map((each) => [each._id, each]));
        found.push(...ids.flatMap((id) => byId.get(id) ?? []).map(heldOf));
        last = page.at(-1);
        if (page.length < size) break;
      }
      return found;
    },

    webhooksWithClaimable: async (now, { after = '', limit }) => {
      const first = await deliveries((all, options) =>
        all
          .aggregate<{ _id: string; first: Instant }>(
            [
              { $match: { webhook_id: { $gt: after }, next_attempt_at: notAside } },
              { $sort: { webhook_id: 1, next_attempt_at: 1 } },
              { $group: { _id: '$webhook_id', first: { $first: '$next_attempt_at' } } },
              { $match: { first: { $lte: now } } },
              { $sort: { _id: 1 } },
              { $limit: limit },
            ],
            options,
          )
          .toArray(),
      );
      return first.map(({ _id }) => _id);
    },

    webhooksWithBlocked: async ({ after = '', limit }) => {
      const found: string[] = [];
      for (let webhook = after; found.length < limit;) {
        const next = await deliveries((all, options) => firstAside(all, options, { $gt: webhook }));
        if (next === null) break;
        found.push((webhook = next));
      }
      return found;
    },

    put: async (delivery, version, now) => {
      const { created_at, asked, state, attempts, tries, next_attempt_at, scheduled_at, earliest_at, body } =
        delivery;
      const ends = state !== 'pending';
      const finished_at = ends ? now : null;
      const times = { next_attempt_at, scheduled_at, earliest_at, finished_at };
      const set = { created_at, asked, state, attempts, tries, ...times, body };
      // Before, lest a crash in between leave it set aside for ever: nobody looks at a webhook that has nothing due.
      if (ends) await makeNextDue(deliveries, delivery, now);
      const { modifiedCount } = await deliveries(
        (all, options) =>
          all.updateOne({ _id: delivery.id, version }, { $set: set, $inc: { version: 1 } }, options),
        { once: true },
      );
      if (modifiedCount === 0) return false;
      // And after: somebody may have looked what is due in between, and set it aside again.
      if (ends) await makeNextDue(deliveries, delivery, now);
      return true;
    },

    get: async (id) => {
      if (!isStorableText(id)) return null;
      const found = await deliveries((all, options) => all.findOne({ _id: id }, options));
      return found === null ? null : heldOf(found);
    },

    find: async (webhook, { direction, offset, limit, state }) => {
      if (!isStorableText(webhook)) return { items: [], total: 0 };
      const filter: Filter<StoredDelivery> = { webhook_id: webhook, ...(state !== undefined && { state }) };
      const [items, total] = await Promise.all([
        deliveries((all, options) =>
          all
            .find(filter, options)
            .sort({ place: direction === 'ascending' ? 1 : -1 })
            .skip(offset)
            .limit(limit)
            .toArray(),
        ),
        deliveries((all, options) =>
          all.countDocuments(filter, {
            ...options,
            limit: COUNTED,
            hint: state === undefined ? 'deliveries_by_place' : 'deliveries_by_state',
          }),
        ),
      ]);
      return { items: items.map((each) => heldOf(each).delivery), total };
    },

    updatePending: async (webhook, change, now) => {
      if (change === 'unblock') return release(deliveries, webhook, now);
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
          ? { state: 'cancelled', next_attempt_at: null, body: null, finished_at: now }
          : { next_attempt_at: { $max: [now, earliest] } };
      const values = { ...set, version: { $add: ['$version', 1] } };
      for (let changed = 0; ;) {
        const piece = await deliveries(async (all, options) => {
          const ids = await idsOf(all, options, filter, PAGE);
          const these = { _id: { $in: ids }, ...filter };
          const done = await all.updateMany(these, [{ $set: values }], options);
          return { found: ids.length, done: done.modifiedCount };
        });
        changed += piece.done;
        if (piece.found < PAGE) return changed;
      }
    },

    pending: () =>
      deliveries((all, options) =>
        all.countDocuments({ state: 'pending' }, { ...options, limit: COUNTED, hint: 'deliveries_finished' }),
      ),

    purge: (before, limit) =>
      deliveries(async (all, options) => {
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

/** Those that are there already stay as they are. */
async function insertNew(all: All, page: StoredDelivery[], session: Options['session']): Promise<number> {
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
  all: All,
  options: Options,
  filter: Filter<StoredDelivery>,
  limit: number,
  sort: Sort = {},
): Promise<string[]> {
  // To MongoDB it is no limit.
  if (limit === 0) return [];
  const found = await all
    .find(filter, options)
    .project<{ _id: string }>({ _id: 1 })
    .sort(sort)
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}

function storedOf({ id, ...delivery }: Delivery): StoredDelivery {
  const finished_at = delivery.state === 'pending' ? null : delivery.created_at;
  return { _id: id, ...delivery, version: 1, finished_at };
}

function heldOf({ _id, version, finished_at: _, ...delivery }: StoredDelivery): VersionedDelivery {
  return { delivery: { id: _id, ...delivery }, version };
}
