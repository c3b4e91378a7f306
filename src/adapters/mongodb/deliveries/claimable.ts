/** Which deliveries of a webhook may be attempted, and which are blocked until the one before them is finished. */
import type { Filter } from 'mongodb';
import type { Delivery } from '../../../domain/messages/delivery.js';
import type { Instant } from '../../../domain/event.js';
import type { VersionedDelivery } from '../../../ports/deliveries.js';
import {
  fromStored,
  type AllDeliveries,
  type CommandOptions,
  type WithDeliveries,
  type StoredDelivery,
} from './layout.js';

/** The most deliveries that are read, or made due, at once. */
const PAGE = 500;
/** For a look at all pending deliveries of a webhook. */
const LONG_MS = 15_000;

type OfSubject = Pick<StoredDelivery, '_id' | 'subject'>;
type Candidate = OfSubject & Pick<StoredDelivery, 'place' | 'next_attempt_at'>;

/** Not blocked. In this form, the condition also selects the index of deliveries that are not blocked. */
const notBlocked = { $gt: '' };
/** In the form of the index of blocked deliveries. */
const blocked = { next_attempt_at: null };

/** The instant before which a delivery may not be brought forward. As text, null comes before all instants. */
export const earliest = { $ifNull: ['$earliest_at', ''] };

/** The port's `claimable`. */
export async function findClaimable(
  run: WithDeliveries,
  webhook: string,
  now: Instant,
  limit: number,
): Promise<VersionedDelivery[]> {
  const found: VersionedDelivery[] = [];
  // Most candidates can be claimed. Where many wait behind one, the pages grow; each candidate is read once.
  let size = Math.min(limit + 8, PAGE);
  for (let last: Candidate | undefined; found.length < limit; size = Math.min(2 * size, PAGE)) {
    const page = await findDue(run, { webhook, now, last, limit: size });
    const firsts = await firstPending(run, webhook, page);
    const ids: string[] = [];
    const behind: Candidate[] = [];
    for (const candidate of page) {
      if (ids.length + found.length === limit) break;
      const first = firsts.get(candidate.subject);
      if (first === candidate._id) ids.push(candidate._id);
      else if (first !== undefined) behind.push(candidate);
    }
    if (behind.length > 0) await block(run, { webhook, behind, now });
    const read = await run((all, options) =>
      all.find({ _id: { $in: ids }, next_attempt_at: notBlocked }, options).toArray(),
    );
    const byId = new Map(read.map((each) => [each._id, each]));
    found.push(...ids.flatMap((id) => byId.get(id) ?? []).map(fromStored));
    last = page.at(-1);
    if (page.length < size) break;
  }
  return found;
}

/** The port's `webhooksWithClaimable`. */
export async function findWebhooksWithDue(
  run: WithDeliveries,
  now: Instant,
  after: string,
  limit: number,
): Promise<string[]> {
  const webhooks = await run((all, options) =>
    all
      .aggregate<{ _id: string; first: Instant }>(
        [
          { $match: { webhook_id: { $gt: after }, next_attempt_at: notBlocked } },
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
  return webhooks.map(({ _id }) => _id);
}

/** The port's `webhooksWithBlocked`. */
export async function findWebhooksWithBlocked(
  run: WithDeliveries,
  after: string,
  limit: number,
): Promise<string[]> {
  const found: string[] = [];
  for (let webhook = after; found.length < limit;) {
    const next = await run((all, options) => firstWithBlocked(all, options, { $gt: webhook }));
    if (next === null) break;
    found.push((webhook = next));
  }
  return found;
}

/** A page of the deliveries whose time has come, earliest first, after the last one of the page before. */
async function findDue(
  run: WithDeliveries,
  {
    webhook,
    now,
    last,
    limit,
  }: { webhook: string; now: Instant; last: Candidate | undefined; limit: number },
): Promise<Candidate[]> {
  const at = last?.next_attempt_at ?? '';
  const after: Filter<StoredDelivery> = {
    $or: [{ next_attempt_at: { $gt: at } }, { next_attempt_at: at, place: { $gt: last?.place ?? '' } }],
  };
  const due: Filter<StoredDelivery> = {
    webhook_id: webhook,
    next_attempt_at: { ...notBlocked, $gte: at, $lte: now },
    ...(last !== undefined && after),
  };
  return run((all, options) =>
    all
      .find(due, options)
      .project<Candidate>({ subject: 1, place: 1, next_attempt_at: 1 })
      .sort({ next_attempt_at: 1, place: 1 })
      .limit(limit)
      .toArray(),
  );
}

/**
 * By subject, the id of its first pending delivery: the one at the lowest place. One read finds the first ones of the
 * subjects with few pending deliveries. Where it ends before others, a second one looks for the first of each of those,
 * because a read of all would read all their deliveries. `of`: a delivery of each subject. `except`: ids to pass over.
 */
async function firstPending(
  run: WithDeliveries,
  webhook: string,
  of: readonly OfSubject[],
  except: readonly string[] = [],
): Promise<Map<string, string>> {
  const idOf = new Map(of.map(({ _id, subject }) => [subject, _id]));
  const passed = except.length > 0 && { _id: { $nin: [...except] } };
  const pending = { webhook_id: webhook, state: 'pending', ...passed } as const;
  const found = new Map<string, string>();
  // MongoDB takes a limit of 0 for no limit.
  if (idOf.size === 0) return found;
  const read = await run((all, options) =>
    all
      .find({ ...pending, subject: { $in: [...idOf.keys()] } }, { ...options, hint: 'deliveries_pending' })
      .project<OfSubject>({ subject: 1 })
      .sort({ subject: 1, place: 1 })
      .limit(4 * idOf.size)
      .toArray(),
  );
  for (const { _id, subject } of read) if (!found.has(subject)) found.set(subject, _id);
  if (found.size === idOf.size || read.length < 4 * idOf.size) return found;
  for (const subject of found.keys()) idOf.delete(subject);
  const its = { $expr: { $eq: ['$subject', '$$subject'] } };
  const sort = { $sort: { subject: 1, place: 1 } };
  const one = [{ $match: { ...pending, ...its } }, sort, { $limit: 1 }, { $project: { _id: 1 } }];
  // By an expression: with `localField` and `foreignField`, it takes twice as long.
  const first = { let: { subject: '$subject' }, pipeline: one, as: 'first' };
  const rest = await run((all, options) =>
    all
      .aggregate<OfSubject>(
        [
          { $match: { _id: { $in: [...idOf.values()] } } },
          { $lookup: { from: all.collectionName, ...first } },
          { $unwind: '$first' },
          { $project: { _id: '$first._id', subject: 1 } },
        ],
        options,
      )
      .toArray(),
  );
  for (const { _id, subject } of rest) found.set(subject, _id);
  return found;
}

/**
 * Blocks what is due behind another delivery. If that other one is finished at the same moment, its `makeNextDue` may
 * come before this block and be undone by it. So this looks once more afterwards.
 */
async function block(
  run: WithDeliveries,
  { webhook, behind, now }: { webhook: string; behind: readonly Candidate[]; now: Instant },
): Promise<void> {
  const these = { _id: { $in: behind.map(({ _id }) => _id) }, next_attempt_at: notBlocked };
  const blocking = { $set: blocked, $inc: { version: 1 } };
  await run((all, options) => all.updateMany(these, blocking, options));
  const firsts = await firstPending(run, webhook, behind);
  await makeDue(run, { _id: { $in: [...firsts.values()] }, ...blocked }, now);
}

/**
 * Makes the first pending delivery due of each subject of these deliveries of a webhook, these themselves left out.
 * Leaves one alone that is due already: its attempt may be under way.
 */
export async function makeNextDue(
  run: WithDeliveries,
  webhook: string,
  ended: readonly Pick<Delivery, 'id' | 'subject'>[],
  now: Instant,
): Promise<void> {
  const these = ended.map(({ id: _id, subject }) => ({ _id, subject }));
  const except = ended.map(({ id }) => id);
  const next = [...(await firstPending(run, webhook, these, except)).values()];
  if (next.length === 0) return;
  const soonest = { $max: [now, earliest] };
  const waits = { next_attempt_at: { $gt: now }, $expr: { $gt: ['$next_attempt_at', soonest] } };
  await makeDue(run, { _id: { $in: next }, $or: [blocked, waits] }, now);
}

/**
 * Makes deliveries due that are blocked with nothing before them. Returns how many. Reads only the first of each
 * subject.
 */
export async function unblock(run: WithDeliveries, webhook: string, now: Instant): Promise<number> {
  const pending = { webhook_id: webhook, state: 'pending' } as const;
  // Most webhooks have no blocked delivery.
  if ((await run((all, options) => firstWithBlocked(all, options, webhook))) === null) return 0;
  const left = await run(
    (all, { session }) =>
      all
        .aggregate<{ place: string }>(
          [
            { $match: pending },
            { $sort: { subject: 1, place: 1 } },
            { $group: { _id: '$subject', place: { $first: '$place' }, at: { $first: '$next_attempt_at' } } },
            { $match: { at: null } },
            { $project: { _id: 0, place: 1 } },
          ],
          { session, maxTimeMS: LONG_MS, hint: 'deliveries_pending' },
        )
        .toArray(),
    { limitMs: LONG_MS },
  );
  let unblocked = 0;
  for (let from = 0; from < left.length; from += PAGE) {
    const places = left.slice(from, from + PAGE).map(({ place }) => place);
    unblocked += await makeDue(run, { webhook_id: webhook, place: { $in: places }, ...blocked }, now);
  }
  return unblocked;
}

/** The first of these webhooks, by id, that has a blocked delivery. */
async function firstWithBlocked(
  all: AllDeliveries,
  options: CommandOptions,
  webhook: string | { $gt: string },
): Promise<string | null> {
  const first = { sort: { webhook_id: 1 }, hint: 'deliveries_aside' } as const;
  const these: Filter<StoredDelivery> = { webhook_id: webhook, state: 'pending', ...blocked };
  const found = await all.findOne(these, { ...options, ...first, projection: { webhook_id: 1 } });
  return found?.webhook_id ?? null;
}

async function makeDue(run: WithDeliveries, which: Filter<StoredDelivery>, now: Instant): Promise<number> {
  const due = { next_attempt_at: { $max: [now, earliest] }, version: { $add: ['$version', 1] } };
  const { modifiedCount } = await run((all, options) =>
    all.updateMany({ ...which, state: 'pending' }, [{ $set: due }], options),
  );
  return modifiedCount;
}
