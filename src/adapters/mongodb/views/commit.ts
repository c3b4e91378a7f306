/** A commit and a promotion: each one transaction, of which a crash leaves all or nothing. */
import type { ClientSession, Db } from 'mongodb';
import type { Commit } from '../../../ports/views.js';
import { fail } from '../../../errors.js';
import { inTransaction, isUnknownOutcome } from '../transaction.js';
import { write, type Writes } from './changes.js';
import type { Claim } from './claims.js';
import { documentsOf, MARKER, registryOf, type BuildDocument } from './layout.js';
import { readyBuilds } from './registry.js';
import { fencedOff } from '../../views/rules.js';

/** Documents, totals and checkpoint. @throws LedgerError `fenced` */
export async function commitTo(
  db: Db,
  projection: string,
  { _id, session }: Claim,
  commit: Commit,
  writes: readonly Writes[],
  limitMs: number,
): Promise<void> {
  const { build, epoch, from, to } = commit;
  const stands = { _id, state: 'ready', position: from, epoch: { $lte: epoch } } as const;
  const done = async (within: ClientSession): Promise<boolean> =>
    (await registryOf(db).findOne({ _id, position: to, epoch }, { session: within })) !== null;
  let tries = 0;
  try {
    await inTransaction(session, limitMs, async () => {
      tries += 1;
      // First: whoever is fenced off writes nothing, and two who commit at once meet here.
      const moved = await registryOf(db).updateOne(stands, { $set: { position: to, epoch } }, { session });
      if (moved.matchedCount === 0) {
        // An earlier try may have been committed, though its answer was lost.
        if (tries > 1 && to !== from && (await done(session))) return;
        fencedOff(projection, build);
      }
      for (const each of writes) await write(db, session, _id, each);
    });
  } catch (error) {
    // Only this epoch goes from there to here, and the documents went with it.
    if (isUnknownOutcome(error) && (await done(session))) return;
    throw error;
  }
}

/**
 * Makes the build live and retires the others.
 * @throws LedgerError `fenced`, or `internal` when it stands behind the live one.
 */
export async function promoteTo(
  db: Db,
  projection: string,
  { _id, session }: Claim,
  epoch: number,
  limitMs: number,
): Promise<void> {
  const registry = registryOf(db);
  try {
    await inTransaction(session, limitMs, async () => {
      const builds = await readyBuilds(db, session, projection);
      const next = mayBePromoted(builds, _id, projection, epoch);
      const others = builds.filter((build) => build !== next);
      const ids = others.map((build) => build._id);
      if (ids.length > 0) {
        const retired = { $set: { state: 'retired', live: false } } as const;
        await registry.updateMany({ _id: { $in: ids } }, retired, { session });
      }
      await registry.updateOne({ _id }, { $set: { live: true, epoch } }, { session });
      for (const build of others) await mark(db, session, build, { _live: false, _gone: true });
      await mark(db, session, next, { _live: true });
    });
  } catch (error) {
    if (isUnknownOutcome(error) && (await registry.findOne({ _id, live: true }, { session })) !== null)
      return;
    throw error;
  }
}

/** Readers look at the marker in the same moment as at the documents. */
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

export function mayBePromoted(
  builds: readonly BuildDocument[],
  _id: string,
  projection: string,
  epoch: number,
): BuildDocument {
  const next = builds.find((build) => build._id === _id);
  if (next === undefined || builds.some((build) => build.epoch > epoch)) {
    return fail('fenced', `a build of ${projection} has another runner, or is gone`);
  }
  // Who saw a write of theirs would not see it any more.
  if (builds.some((build) => build.live && build.position > next.position)) {
    fail('internal', `build ${next.build} of ${projection} stands behind the live one`);
  }
  return next;
}
