/** What is due of a webhook, and what is set aside until the one before it is finished. */
import type { ClientSession, Collection, Filter } from 'mongodb';
import { forEachConcurrent } from '../../../concurrency/for-each-concurrent.js';
import type { Delivery } from '../../../domain/delivery.js';
import type { Instant } from '../../../domain/event.js';
import type { RunOptions } from '../store.js';

/** `finished_at` is null while it is pending. */
export type StoredDelivery = Omit<Delivery, 'id'> & {
  _id: string;
  version: number;
  finished_at: Instant | null;
};
export type All = Collection<StoredDelivery>;
export type Options = { session: ClientSession; maxTimeMS: number };

/** Does one piece of work, in a session of its own that sees all that this process has seen. */
export type Run = <T>(work: (all: All, options: Options) => Promise<T>, options?: RunOptions) => Promise<T>;

/** So many connections at the most are used for one call. */
const AT_ONCE = 16;
const CHUNK = 500;
/** For a look at all that is pending of a webhook. */
const LONG_MS = 15_000;

export type Candidate = Pick<StoredDelivery, '_id' | 'subject' | 'place' | 'next_attempt_at'>;

/** Also says by which index to look: the one of those that are not set aside. */
export const notAside = { $gt: '' };

/** Null, as text, comes before all instants. */
export const earliest = { $ifNull: ['$earliest_at', ''] };

/** As the index of those that are has it. */
const aside = { next_attempt_at: null };

/** A page of those whose time has come, the earliest first, after the last one. */
export async function candidates(
  run: Run,
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
    next_attempt_at: { ...notAside, $gte: at, $lte: now },
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
 * The one at the lowest place of all that are pending, of each of the subjects, by subject. Those of which few wait are
 * read together, the others by one look-up each: together all that wait of them would be read. `but`: the id of one that
 * is not looked at.
 */
export async function heads(
  run: Run,
  webhook: string,
  subjects: readonly string[],
  but?: string,
): Promise<Map<string, string>> {
  const each = [...new Set(subjects)];
  const pending: Filter<StoredDelivery> = {
    webhook_id: webhook,
    state: 'pending',
    ...(but !== undefined && { _id: { $ne: but } }),
  };
  const hint = { projection: { _id: 1, subject: 1 }, hint: 'deliveries_pending' } as const;
  const found = new Map<string, string>();
  let rest = each;
  if (each.length > AT_ONCE) {
    const limit = 4 * each.length;
    const read = await run((all, options) =>
      all
        .find({ ...pending, subject: { $in: each } }, { ...options, ...hint })
        .sort({ subject: 1, place: 1 })
        .limit(limit)
        .toArray(),
    );
    for (const { _id, subject } of read) if (!found.has(subject)) found.set(subject, _id);
    rest = read.length < limit ? [] : each.filter((subject) => !found.has(subject));
  }
  await forEachConcurrent(rest, AT_ONCE, async (subject) => {
    const lowest = { ...hint, sort: { place: 1 } } as const;
    const head = await run((all, options) => all.findOne({ ...pending, subject }, { ...options, ...lowest }));
    if (head !== null) found.set(subject, head._id);
  });
  return found;
}

/**
 * Sets aside what is due behind another. Whoever finishes that other one in the same moment makes the next one due
 * before it is set aside here: so it is looked at once more afterwards.
 */
export async function setAside(
  run: Run,
  { webhook, behind, now }: { webhook: string; behind: readonly Candidate[]; now: Instant },
): Promise<void> {
  const these = { _id: { $in: behind.map(({ _id }) => _id) }, next_attempt_at: notAside };
  const setting = { $set: aside, $inc: { version: 1 } };
  await run((all, options) => all.updateMany(these, setting, options));
  const subjects = behind.map(({ subject }) => subject);
  const left = await heads(run, webhook, subjects);
  await makeDue(run, { _id: { $in: [...left.values()] }, ...aside }, now);
}

/**
 * Makes the first that is pending of a subject due, but for the one with the id, unless it is due already: it may be on
 * its way then.
 */
export async function makeNextDue(
  run: Run,
  { id, webhook_id, subject }: Pick<Delivery, 'id' | 'webhook_id' | 'subject'>,
  now: Instant,
): Promise<void> {
  const next = (await heads(run, webhook_id, [subject], id)).get(subject);
  if (next === undefined) return;
  const soonest = { $max: [now, earliest] };
  const waits = { next_attempt_at: { $gt: now }, $expr: { $gt: ['$next_attempt_at', soonest] } };
  await makeDue(run, { _id: next, $or: [aside, waits] }, now);
}

/** Makes due what is set aside with nothing before it. Answers how many. Of each subject only the first is read. */
export async function release(run: Run, webhook: string, now: Instant): Promise<number> {
  const pending = { webhook_id: webhook, state: 'pending' } as const;
  // Most have none.
  if ((await run((all, options) => firstAside(all, options, webhook))) === null) return 0;
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
  let released = 0;
  for (let from = 0; from < left.length; from += CHUNK) {
    const places = left.slice(from, from + CHUNK).map(({ place }) => place);
    released += await makeDue(run, { webhook_id: webhook, place: { $in: places }, ...aside }, now);
  }
  return released;
}

/** The first webhook of these, by id, of which anything is set aside. */
export async function firstAside(
  all: All,
  options: Options,
  webhook: string | { $gt: string },
): Promise<string | null> {
  const first = { sort: { webhook_id: 1 }, hint: 'deliveries_aside' } as const;
  const these: Filter<StoredDelivery> = { webhook_id: webhook, state: 'pending', ...aside };
  const found = await all.findOne(these, { ...options, ...first, projection: { webhook_id: 1 } });
  return found?.webhook_id ?? null;
}

async function makeDue(run: Run, which: Filter<StoredDelivery>, now: Instant): Promise<number> {
  const due = { next_attempt_at: { $max: [now, earliest] }, version: { $add: ['$version', 1] } };
  const { modifiedCount } = await run((all, options) =>
    all.updateMany({ ...which, state: 'pending' }, [{ $set: due }], options),
  );
  return modifiedCount;
}
