/** What is due of a webhook, and what is set aside until the one before it is finished. */
import type { ClientSession, Collection, Filter } from 'mongodb';
import type { Delivery } from '../domain/delivery.js';
import type { Instant } from '../domain/event.js';

export type StoredDelivery = Omit<Delivery, 'id'> & { _id: string; version: number };
export type All = Collection<StoredDelivery>;
export type Options = { session: ClientSession; maxTimeMS: number };

export type Candidate = Pick<StoredDelivery, '_id' | 'subject' | 'place' | 'next_attempt_at'>;

/** Also says by which index to look: the one of those that are not set aside. */
export const notAside = { $gt: '' };

/** A page of those whose time has come, the earliest first, after the last one. */
export async function candidates(
  all: All,
  options: Options,
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
  return all
    .find(
      {
        webhook_id: webhook,
        next_attempt_at: { ...notAside, $gte: at, $lte: now },
        ...(last !== undefined && after),
      },
      options,
    )
    .project<Candidate>({ subject: 1, place: 1, next_attempt_at: 1 })
    .sort({ next_attempt_at: 1, place: 1 })
    .limit(limit)
    .toArray();
}

/** The one at the lowest place of all that are pending, of each of the subjects, by subject. */
export async function heads(
  all: All,
  options: Options,
  webhook: string,
  subjects: readonly string[],
): Promise<Map<string, string>> {
  const found = await all
    .aggregate<{ _id: string; id: string }>(
      [
        { $match: { webhook_id: webhook, state: 'pending', subject: { $in: subjects } } },
        { $sort: { webhook_id: 1, subject: 1, place: 1 } },
        { $group: { _id: '$subject', id: { $first: '$_id' } } },
      ],
      options,
    )
    .toArray();
  return new Map(found.map(({ _id, id }) => [_id, id]));
}

/**
 * Sets aside what is due behind another. Whoever finishes that other one in the same moment makes the next one due
 * before it is set aside here: so it is looked at once more afterwards.
 */
export async function setAside(
  all: All,
  options: Options,
  { webhook, behind, now }: { webhook: string; behind: readonly Candidate[]; now: Instant },
): Promise<void> {
  const these = { _id: { $in: behind.map(({ _id }) => _id) }, next_attempt_at: notAside };
  await all.updateMany(these, { $set: { next_attempt_at: null }, $inc: { version: 1 } }, options);
  const left = await heads(all, options, webhook, [...new Set(behind.map(({ subject }) => subject))]);
  await makeDue(all, options, [...left.values()], now, { next_attempt_at: null });
}

/** Makes the next of a subject due, unless it is due already: it may be on its way then. */
export async function makeNextDue(
  all: All,
  options: Options,
  { webhook_id, subject }: Pick<Delivery, 'webhook_id' | 'subject'>,
  now: Instant,
): Promise<void> {
  const next = await heads(all, options, webhook_id, [subject]);
  const notDue = { $or: [{ next_attempt_at: null }, { next_attempt_at: { $gt: now } }] };
  await makeDue(all, options, [...next.values()], now, notDue);
}

/** Makes due what is set aside with nothing before it. Answers how many. */
export async function release(all: All, options: Options, webhook: string, now: Instant): Promise<number> {
  const left = await all
    .aggregate<{ id: string }>(
      [
        { $match: { webhook_id: webhook, state: 'pending' } },
        { $sort: { webhook_id: 1, subject: 1, place: 1 } },
        { $group: { _id: '$subject', id: { $first: '$_id' }, at: { $first: '$next_attempt_at' } } },
        { $match: { at: null } },
        { $project: { id: 1 } },
      ],
      options,
    )
    .toArray();
  const ids = left.map(({ id }) => id);
  return makeDue(all, options, ids, now, { next_attempt_at: null });
}

async function makeDue(
  all: All,
  options: Options,
  ids: readonly string[],
  now: Instant,
  where: Filter<StoredDelivery>,
): Promise<number> {
  if (ids.length === 0) return 0;
  const these: Filter<StoredDelivery> = { _id: { $in: ids }, state: 'pending', ...where };
  const due = { $set: { next_attempt_at: now }, $inc: { version: 1 } };
  return (await all.updateMany(these, due, options)).modifiedCount;
}
