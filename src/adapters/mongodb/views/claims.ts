/**
 * The right to write a build. Before a writer commits, it records its session in the build. The next writer ends that
 * session: a transaction that a killed writer left open would block the checkpoint for a minute.
 */
import type { ClientSession, Db } from 'mongodb';
import { isDenied } from '../errors.js';
import { registryOf, type BuildDocument } from './layout.js';
import { readyBuilds } from './registry.js';
import { ALL_PARTITIONS } from '../../../domain/partition.js';
import { epochIn } from '../../shared/checkpoints.js';
import { failFenced } from '../../shared/view-rules.js';

export type Claim = { _id: string; session: ClientSession };

export type Claims = {
  /** @throws AppError `fenced` when the build is gone, or a higher epoch has committed to it. */
  of(db: Db, session: ClientSession, wanted: ClaimedBuild): Promise<Claim>;
  /** Ends the transactions that writers of other sessions left open on these builds. */
  endOthers(db: Db, builds: readonly BuildDocument[]): Promise<void>;
  /** The build is not at the position that this writer assumed. */
  forget(wanted: ClaimedBuild): void;
};

type ClaimedBuild = { projection: string; build: number; epoch: number };

export function openClaims(newSession: () => ClientSession): Claims {
  // With its epoch: after an earlier epoch, another writer may have recorded its own session and left a transaction
  // open.
  const claims = new Map<string, Claim & { epoch: number }>();
  // One session per build, as long as the client lives: a recorded session id must never become that of another build.
  const sessions = new Map<string, ClientSession>();
  const sessionOf = (_id: string): ClientSession => {
    const session = sessions.get(_id) ?? newSession();
    sessions.set(_id, session);
    return session;
  };

  const endOthers: Claims['endOthers'] = async (db, builds) => {
    const own = new Set([...sessions.values()].map((session) => String(session.id?.id)));
    const others = builds.flatMap(({ session }) =>
      session === null || own.has(String(session)) ? [] : [{ id: session }],
    );
    if (others.length === 0) return;
    await db
      .admin()
      .command({ killSessions: others })
      .catch((error: unknown) => {
        // A user without the right to end a session waits until the server ends it.
        if (!isDenied(error)) throw error;
      });
  };

  const claim = async (
    db: Db,
    session: ClientSession,
    { projection, build, epoch }: ClaimedBuild,
  ): Promise<Claim> => {
    const builds = await readyBuilds(db, session, projection);
    const found = builds.find((one) => one.build === build);
    if (found === undefined || epochIn(found.checkpoints) > epoch) return failFenced(projection, build);
    await endOthers(db, [found]);
    const own = sessionOf(found._id);
    await registryOf(db).updateOne({ _id: found._id, checkpoints: { $exists: false } }, WITH_CHECKPOINTS, {
      session,
    });
    const { matchedCount } = await registryOf(db).updateOne(
      { _id: found._id, state: 'ready', 'checkpoints.epoch': { $not: { $gt: epoch } } },
      { $set: { session: own.id?.id ?? null } },
      { session },
    );
    return matchedCount === 1 ? { _id: found._id, session: own } : failFenced(projection, build);
  };

  return {
    of: async (db, session, wanted) => {
      const known = claims.get(keyOf(wanted));
      if (known?.epoch === wanted.epoch) return known;
      const claimed = { ...(await claim(db, session, wanted)), epoch: wanted.epoch };
      claims.set(keyOf(wanted), claimed);
      return claimed;
    },
    endOthers,
    forget: (wanted) => void claims.delete(keyOf(wanted)),
  };
}

/** Before there were partitions, a build was stored with one position and one epoch. */
const WITH_CHECKPOINTS = [
  {
    $set: {
      checkpoints: [{ partitions: ALL_PARTITIONS, position: '$position', epoch: '$epoch' }],
    },
  },
  { $unset: ['position', 'epoch'] },
];

function keyOf({ projection, build }: ClaimedBuild): string {
  return `${projection}.${build}`;
}
