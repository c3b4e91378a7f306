/** A commit and a promotion. Each is one transaction, of which a crash leaves all or nothing. */
import type { AnyBulkWriteOperation, ClientSession, Db } from 'mongodb';
import type { Change, Checkpoint, Commit } from '../../../ports/views.js';
import { START, type Position } from '../../../domain/event.js';
import { ALL_PARTITIONS, type Partitions } from '../../../domain/partition.js';
import { fail } from '../../../errors.js';
import { inTransaction, isUnknownOutcome } from '../transaction.js';
import type { Claim } from './claims.js';
import {
  type BuildDocument,
  MARKER,
  type StoredDocument,
  documentsOf,
  registryOf,
  storedOf,
  totalId,
} from './layout.js';
import { readyBuilds } from './registry.js';
import { checkpointsAfter, epochIn, isBehind } from '../../shared/checkpoints.js';
import { failFenced } from '../../shared/view-rules.js';
import { totalDeltas } from '../../shared/view-totals.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { isStorableText } from '../../shared/storable-text.js';
import { isDuplicate } from '../errors.js';

/** Writes documents, totals and checkpoint. @throws AppError `fenced` */
export async function commitTo(
  db: Db,
  projection: string,
  { _id, session }: Claim,
  commit: Commit,
  writes: readonly CollectionWrites[],
  limitMs: number,
): Promise<void> {
  const { build, epoch, from, to, partitions = ALL_PARTITIONS } = commit;
  // Only this epoch moves these partitions from this position to that one.
  const done = async (within: ClientSession): Promise<boolean> => {
    const found = await registryOf(db).findOne({ _id }, { session: within });
    return found !== null && hasMoved(found.checkpoints, { partitions, to, epoch });
  };
  let tries = 0;
  try {
    await inTransaction(session, limitMs, async () => {
      tries += 1;
      // First, so that a fenced writer writes nothing, and two writers that commit at once conflict here.
      if (!(await moveCheckpoints(db, session, _id, commit))) {
        // An earlier try may have been committed although its answer was lost.
        if (tries > 1 && to !== from && (await done(session))) return;
        failFenced(projection, build);
      }
      for (const each of writes) await writeChanges(db, session, _id, each);
    });
  } catch (error) {
    // The documents moved with the checkpoint.
    if (isUnknownOutcome(error) && (await done(session))) return;
    throw error;
  }
}

/** False if the commit is fenced. */
async function moveCheckpoints(
  db: Db,
  session: ClientSession,
  _id: string,
  commit: Commit,
): Promise<boolean> {
  const { epoch, partitions = ALL_PARTITIONS, from, to, lastEvent } = commit;
  const registry = registryOf(db);
  // Nearly every commit moves all partitions from one position to another.
  if (partitions === ALL_PARTITIONS) {
    const level = {
      _id,
      state: 'ready',
      'checkpoints.0.partitions': partitions,
      'checkpoints.0.position': from,
      'checkpoints.0.epoch': { $lte: epoch },
    } as const;
    const checkpoints = [{ partitions, position: to, epoch }];
    // No other partition is further, so no earlier commit has folded a later event.
    const moved = { checkpoints, ...(lastEvent !== undefined && { lastEvent }) };
    const { matchedCount } = await registry.updateOne(level, { $set: moved }, { session });
    if (matchedCount === 1) return true;
  }
  const found = await registry.findOne({ _id, state: 'ready' }, { session });
  const after = found === null ? null : checkpointsAfter(found.checkpoints, commit);
  if (found === null || after === null) return false;
  const isFurther = lastEvent !== undefined && lastEvent.position > (found.lastEvent?.position ?? START);
  const moved = { checkpoints: after, ...(isFurther && { lastEvent }) };
  // The transaction conflicts with any other one that moves a checkpoint of this build.
  await registry.updateOne({ _id, state: 'ready' }, { $set: moved }, { session });
  return true;
}

function hasMoved(
  checkpoints: readonly Checkpoint[],
  { partitions, to, epoch }: { partitions: Partitions; to: Position; epoch: number },
): boolean {
  return checkpoints.some(
    (each) =>
      each.position === to &&
      each.epoch === epoch &&
      partitions.split('').every((one) => each.partitions.includes(one)),
  );
}

/**
 * Makes the build live and retires the others.
 * @throws AppError `fenced`, or `internal` when the build is behind the live one.
 */
export async function promoteTo(
  db: Db,
  projection: string,
  { _id, session }: Claim,
  { epoch, mayBeBehind, limitMs }: Promotion & { limitMs: number },
): Promise<void> {
  const registry = registryOf(db);
  try {
    await inTransaction(session, limitMs, async () => {
      const builds = await readyBuilds(db, session, projection);
      const next = mayBePromoted(builds, _id, projection, { epoch, mayBeBehind });
      const others = builds.filter((build) => build !== next);
      const ids = others.map((build) => build._id);
      if (ids.length > 0) {
        const retired = { $set: { state: 'retired', live: false } } as const;
        await registry.updateMany({ _id: { $in: ids } }, retired, { session });
      }
      const checkpoints = next.checkpoints.map((each) => ({ ...each, epoch }));
      await registry.updateOne({ _id }, { $set: { live: true, checkpoints } }, { session });
      for (const build of others) await mark(db, session, build, { _live: false, _gone: true });
      await mark(db, session, next, { _live: true });
    });
  } catch (error) {
    if (isUnknownOutcome(error) && (await registry.findOne({ _id, live: true }, { session })) !== null)
      return;
    throw error;
  }
}

type Promotion = { epoch: number; mayBeBehind: Partitions | undefined };

/** Readers read the marker at the same moment as the documents. */
async function mark(
  db: Db,
  session: ClientSession,
  { _id, collections }: BuildDocument,
  marker: { _live: boolean; _gone?: boolean },
): Promise<void> {
  for (const { name } of collections) {
    await documentsOf(db, _id, name).updateOne({ _id: MARKER }, { $set: marker }, { session });
  }
}

function mayBePromoted(
  builds: readonly BuildDocument[],
  _id: string,
  projection: string,
  { epoch, mayBeBehind }: Promotion,
): BuildDocument {
  const next = builds.find((build) => build._id === _id);
  if (next === undefined || builds.some(({ checkpoints }) => epochIn(checkpoints) > epoch)) {
    return fail('fenced', `a build of ${projection} has another runner, or was dropped`);
  }
  // A client that saw its write would no longer see it.
  if (builds.some((build) => build.live && isBehind(next.checkpoints, build.checkpoints, mayBeBehind))) {
    fail('internal', `build ${next.build} of ${projection} is behind the live one`);
  }
  return next;
}

/** The changes of one collection, as the fewest commands: at most four, for any number of changes. */
export type CollectionWrites = {
  collection: string;
  added: StoredDocument[];
  /** Replacements and documents that are added once, followed by the differences of totals. */
  updates: AnyBulkWriteOperation<StoredDocument>[];
  removed: string[];
  /** The totals that went down. One that comes to 0 is removed. */
  lowered: string[];
};

/** @throws AppError `internal` when a document cannot be stored as it is. */
export function writesOf(spec: ProjectionSpec, changes: readonly Change[]): CollectionWrites[] {
  const deltas = totalDeltas(spec, changes);
  return spec.collections.flatMap((collection) => {
    const own = changes.filter((change) => change.collection === collection.name);
    if (own.length === 0) return [];
    const writes = documentWrites(collection, own);
    for (const { fields, values, n } of deltas.filter((delta) => delta.collection === collection.name)) {
      const _id = totalId(fields, values);
      writes.updates.push({ updateOne: { filter: { _id }, update: { $inc: { _n: n } }, upsert: true } });
      if (n < 0) writes.lowered.push(_id);
    }
    return [writes];
  });
}

/** Runs within a transaction of the caller. @throws AppError `internal` when a document is not as it was loaded. */
async function writeChanges(
  db: Db,
  session: ClientSession,
  build: string,
  writes: CollectionWrites,
): Promise<void> {
  const { collection, added, updates, removed, lowered } = writes;
  const documents = documentsOf(db, build, collection);
  // If `before` were not what is stored, the totals would be wrong for ever.
  const asLoaded = (done: boolean): void => {
    if (!done) fail('internal', `documents of ${collection} are not as they were loaded`);
  };
  if (added.length > 0) {
    await documents.insertMany(added, { session }).catch((error: unknown) => {
      asLoaded(!isDuplicate(error));
      throw error;
    });
  }
  if (updates.length > 0) {
    const { matchedCount, upsertedCount } = await documents.bulkWrite(updates, { session });
    asLoaded(matchedCount + upsertedCount === updates.length);
  }
  if (removed.length > 0) {
    const { deletedCount } = await documents.deleteMany({ _id: { $in: removed } }, { session });
    asLoaded(deletedCount === removed.length);
  }
  if (lowered.length > 0) await documents.deleteMany({ _id: { $in: lowered }, _n: 0 }, { session });
}

function documentWrites(collection: CollectionSpec, changes: readonly Change[]): CollectionWrites {
  const writes: CollectionWrites = {
    collection: collection.name,
    added: [],
    updates: [],
    removed: [],
    lowered: [],
  };
  for (const { id, before, after, once } of changes) {
    if (!isStorableText(id)) fail('internal', `not an id: ${JSON.stringify(id)}`);
    if (after === null) {
      if (before !== null) writes.removed.push(id);
      continue;
    }
    const replacement = storedOf(collection, id, after);
    if (once === true) {
      const { _id, ...fields } = replacement;
      writes.updates.push({ updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } });
    } else if (before === null) writes.added.push(replacement);
    else writes.updates.push({ replaceOne: { filter: { _id: id }, replacement } });
  }
  return writes;
}
