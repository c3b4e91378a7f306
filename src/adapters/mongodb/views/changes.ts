/** The changes of a commit, as the fewest commands: whatever their number, four a collection at the most. */
import type { AnyBulkWriteOperation, ClientSession, Db } from 'mongodb';
import type { Change } from '../../../ports/views.js';
import { totalDeltas } from '../../views/totals.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { isStorableText } from '../../storable-text.js';
import { isDuplicate } from '../errors.js';
import { columnsOf, documentsOf, storedOf, totalId, type Stored } from './layout.js';

/** For one collection. */
export type Writes = {
  collection: string;
  added: Stored[];
  /** Replacements, and after them differences of totals. */
  updates: AnyBulkWriteOperation<Stored>[];
  removed: string[];
  /** Totals that went down: one that comes to 0 goes. */
  lowered: string[];
};

/** @throws LedgerError `internal` when a document cannot be stored as it is. */
export function writesOf(spec: ProjectionSpec, changes: readonly Change[]): Writes[] {
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

/** Within a transaction of the caller. @throws LedgerError `internal` when a document is not as it was loaded. */
export async function write(db: Db, session: ClientSession, build: string, writes: Writes): Promise<void> {
  const { collection, added, updates, removed, lowered } = writes;
  const documents = documentsOf(db, build, collection);
  // A `before` that is not what is stored would leave the totals wrong for ever.
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

function documentWrites(collection: CollectionSpec, changes: readonly Change[]): Writes {
  const columns = columnsOf(collection);
  const writes: Writes = { collection: collection.name, added: [], updates: [], removed: [], lowered: [] };
  for (const { id, before, after } of changes) {
    if (!isStorableText(id)) fail('internal', `not an id: ${JSON.stringify(id)}`);
    if (after === null) {
      if (before !== null) writes.removed.push(id);
      continue;
    }
    const replacement = storedOf(columns, id, after);
    if (before === null) writes.added.push(replacement);
    else writes.updates.push({ replaceOne: { filter: { _id: id }, replacement } });
  }
  return writes;
}
