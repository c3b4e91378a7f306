/**
 * Contents in the database of the state, for a log on a server: a majority has them on disk before the append of their events
 * begins. One document a content, one for each pair of holder and content, one a mark.
 */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Db } from 'mongodb';
import type { Content, KeptBy } from '../../domain/event.js';
import type { Contents, Held, Mark, Released } from '../../ports/contents.js';
import { openMongoStore, untilDone } from './store.js';

/** `leaving`: of the release that is about to remove it, unless somebody holds it. */
type StoredContent = { _id: string; text: string; project: string; leaving?: string };
/**
 * `_id` is holder, blank and hash: no name has a character before the blank, so holders are in order. `question`: of the release
 * that may be about to remove it.
 */
type StoredHolder = { _id: string; content: string; project: string; question?: string };
type StoredMark = { _id: string; reason: Mark };
/** Of the contents that a project has brought. A process that dies between two writes leaves a content out. */
type StoredProject = { _id: string; bytes: number };

type Options = { session: ClientSession; maxTimeMS: number };

/** It connects with the first call. Long because it is a port: each method is short. @throws Error for a bad URL */
export function openMongoContents({ url }: { url: string }): Contents {
  const store = openMongoStore({ url, suffix: '_state', code: 'state_unavailable', what: 'the contents' });
  let indexed: Promise<unknown> | null = null;

  const run = <T>(work: (all: All, options: Options) => Promise<T>): Promise<T> =>
    store.run(async (db, session) => {
      const all = collectionsOf(db);
      await (indexed ??= untilDone(() =>
        all.holders.createIndex({ content: 1 }, { name: 'holders_by_content' }),
      ).catch((error: unknown) => {
        indexed = null;
        throw error;
      }));
      return work(all, { session, maxTimeMS: 4_000 });
    });

  return {
    read: (hashes) =>
      run(async ({ contents }, options) => {
        if (hashes.length === 0) return new Map();
        const found = await contents.find({ _id: { $in: [...new Set(hashes)] } }, options).toArray();
        return new Map(found.map(({ _id, text }) => [_id, text]));
      }),

    keep: (by, kept) => run((all, options) => keep(all, options, by, kept)),

    held: (after, limit) =>
      run(async ({ holders }, options) => {
        const held: Held[] = [];
        for (let last = after; held.length < limit;) {
          const next = await holders.findOne({ _id: { $gt: `${last}!` } }, { ...options, sort: { _id: 1 } });
          if (next === null) break;
          last = next._id.slice(0, next._id.indexOf(' '));
          const own = await holders.find(ofHolder(last), options).sort({ _id: 1 }).toArray();
          held.push({ holder: last, project: own[0]!.project, hashes: own.map(({ content }) => content) });
        }
        return held;
      }),

    question: (holder) =>
      run(async ({ holders }, options) => {
        const id = randomUUID();
        await holders.updateMany(ofHolder(holder), { $set: { question: id } }, { session: options.session });
        const held = await holders.find(ofHolder(holder), options).toArray();
        return { id, hashes: held.map(({ content }) => content) };
      }),

    release: (holder, hashes, question) =>
      run((all, options) => release(all, options, holder, { hashes, question })),

    mark: (ids, reason) =>
      run(async ({ marks }, { session }) => {
        if (ids.length === 0) return;
        const update = reason === 'deleted' ? { $set: { reason } } : { $setOnInsert: { reason } };
        await marks.bulkWrite(
          ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } })),
          { session, ordered: false },
        );
      }),

    marked: (ids) =>
      run(async ({ marks }, options) => {
        const found = await marks.find({ _id: { $in: [...ids] } }, options).toArray();
        return new Map(found.map(({ _id, reason }) => [_id, reason]));
      }),

    bytesOf: (names) =>
      run(async ({ projects }, options) => {
        const found = await projects.find({ _id: { $in: [...names] }, bytes: { $gt: 0 } }, options).toArray();
        return new Map(found.map(({ _id, bytes }) => [_id, bytes]));
      }),

    marks: (after, limit) =>
      run(async ({ marks }, options) => {
        const found = await marks
          .find({ _id: { $gt: after } }, options)
          .sort({ _id: 1 })
          .limit(limit)
          .toArray();
        return found.map(({ _id: id, reason }) => ({ id, reason }));
      }),

    close: () => store.close(),
  };
}

type All = ReturnType<typeof collectionsOf>;

async function keep(
  { contents, holders, projects }: All,
  { session }: Options,
  { holder, project }: KeptBy,
  kept: readonly Content[],
): Promise<void> {
  if (kept.length === 0) return;
  // First the holders: whoever removes a content looks for them last.
  await holders.bulkWrite(
    kept.map(({ hash: content }) => {
      const filter = { _id: idOf(holder, content) };
      const update = { $setOnInsert: { content, project }, $unset: { question: '' as const } };
      return { updateOne: { filter, update, upsert: true } };
    }),
    { session, ordered: false },
  );
  const { upsertedIds } = await contents.bulkWrite(
    kept.map(({ hash: _id, text }) => {
      const update = { $setOnInsert: { text, project }, $unset: { leaving: '' as const } };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    }),
    { session, ordered: false },
  );
  const added = Object.keys(upsertedIds).map((n) => Buffer.byteLength(kept[Number(n)]!.text));
  if (added.length === 0) return;
  const bytes = added.reduce((sum, each) => sum + each, 0);
  await projects.updateOne({ _id: project }, { $inc: { bytes } }, { session, upsert: true });
}

async function release(
  { contents, holders, projects }: All,
  options: Options,
  holder: string,
  { hashes, question }: { hashes: readonly string[] | undefined; question: string | undefined },
): Promise<Released> {
  const { session } = options;
  const asked = question === undefined ? {} : { question };
  const all = await holders.find({ ...ofHolder(holder), ...asked }, options).toArray();
  const wanted = hashes && new Set(hashes);
  const own = all.map(({ content }) => content).filter((hash) => wanted?.has(hash) !== false);
  const ids = own.map((hash) => idOf(holder, hash));
  await holders.deleteMany({ _id: { $in: ids }, ...asked }, { session });
  const leaving = randomUUID();
  await contents.updateMany({ _id: { $in: own } }, { $set: { leaving } }, { session });
  const held = await holders.find({ content: { $in: own } }, options).toArray();
  const staying = new Set(held.map(({ content }) => content));
  const gone = own.filter((hash) => !staying.has(hash));
  // Whoever keeps one again meanwhile has taken the word away.
  const last = { _id: { $in: gone }, leaving };
  const sums = await contents
    .aggregate<StoredProject>(
      [{ $match: last }, { $group: { _id: '$project', bytes: { $sum: { $strLenBytes: '$text' } } } }],
      options,
    )
    .toArray();
  const { deletedCount } = await contents.deleteMany(last, { session });
  for (const { _id, bytes } of sums)
    await projects.updateOne({ _id }, { $inc: { bytes: -bytes } }, { session });
  return { contents: deletedCount, bytes: sums.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function collectionsOf(db: Db) {
  return {
    contents: db.collection<StoredContent>('contents'),
    holders: db.collection<StoredHolder>('content_holders'),
    marks: db.collection<StoredMark>('content_marks'),
    projects: db.collection<StoredProject>('content_projects'),
  };
}

function idOf(holder: string, hash: string): string {
  return `${holder} ${hash}`;
}

function ofHolder(holder: string) {
  return { _id: { $gt: `${holder} `, $lt: `${holder}!` } };
}
