/** Writes builds. Any number of processes may have a writer open: the epochs decide which one may commit. */
import type { ClientSession, Db } from 'mongodb';
import type { Document, ProjectionSpec, ViewWriter } from '../../../ports/views.js';
import { isAppError } from '../../../errors.js';
import { openMongoStore } from '../store.js';
import { documentsById } from './layout.js';
import { writesOf } from './commit.js';
import { openClaims, type Claim } from './claims.js';
import { commitTo, promoteTo } from './commit.js';
import { makeBuild, readyBuilds, sweep } from './registry.js';
import { withPosition } from '../../shared/checkpoints.js';
import { checkCommit, failFenced } from '../../shared/view-rules.js';
import { keysByCollection } from '../../shared/view-columns.js';

/** No request waits for these calls, and a disk may be slow. */
const LONG_MS = 15_000;
/** How long a transaction is retried. The work after it still ends within the limit above. */
const TRANSACTION_MS = 8_000;
/** A commit is one transaction. One of 5,000 events would not fit into the cache of a small server. */
const EVENTS_PER_COMMIT = 2_000;

/**
 * Prepares the read models of a database for writing. It connects with the first call.
 * Long because it is a port: each method is short.
 * @throws Error for a bad URL.
 */
export function openMongoViewWriter({ url }: { url: string }): ViewWriter {
  const store = openMongoStore({
    url,
    code: 'views_unavailable',
    what: 'the read models',
  });
  const claims = openClaims(store.session);
  /** The ids of builds, by projection and number. */
  const known = new Map<string, string>();

  const idOf = async (db: Db, session: ClientSession, { name }: ProjectionSpec, build: number) => {
    const key = `${name}.${build}`;
    const found =
      known.get(key) ?? (await readyBuilds(db, session, name)).find((one) => one.build === build)?._id;
    if (found === undefined) return failFenced(name, build);
    known.set(key, found);
    return found;
  };

  /** One piece of work at a time for each build, because a session has one transaction at a time. */
  const claimed = (
    { name: projection }: ProjectionSpec,
    { build, epoch }: { build: number; epoch: number },
    work: (db: Db, session: ClientSession, claim: Claim) => Promise<void>,
  ): Promise<void> =>
    store.run(
      async (db, session) => {
        const claim = await claims.of(db, session, { projection, build, epoch });
        try {
          if (session.operationTime !== undefined) claim.session.advanceOperationTime(session.operationTime);
          await work(db, session, claim);
        } catch (error) {
          if (isAppError(error, 'fenced')) claims.forget({ projection, build, epoch });
          throw error;
        } finally {
          const { operationTime } = claim.session;
          if (operationTime !== undefined) session.advanceOperationTime(operationTime);
        }
      },
      { queue: `${projection}.${build}`, limitMs: LONG_MS },
    );

  return {
    eventsPerCommit: EVENTS_PER_COMMIT,

    builds: (projection) =>
      store.run(async (db, session) => {
        const builds = await readyBuilds(db, session, projection);
        return builds.map(({ build, version, checkpoints, live, lastEvent = null }) =>
          withPosition({ build, version, live, checkpoints, lastEvent }),
        );
      }),

    prepare: (spec, build) =>
      store.run((db, session) => makeBuild(db, session, spec, build), { limitMs: LONG_MS }),

    load: async (spec, build, keys) => {
      const loaded = keys.map((): Document | null => null);
      const byCollection = keysByCollection(spec, keys);
      await store.run(async (db, session) => {
        const id = await idOf(db, session, spec, build);
        // One after the other, because a session takes one command at a time.
        for (const [name, indexes] of byCollection) {
          const ids = indexes.map((index) => keys[index]?.id ?? '');
          const found = await documentsById(db, session, id, name, ids);
          if (found.build === 'gone') {
            known.delete(`${spec.name}.${build}`);
            failFenced(spec.name, build);
          }
          indexes.forEach((index, n) => (loaded[index] = found.documents[n] ?? null));
        }
      });
      return loaded;
    },

    commit: async (spec, commit) => {
      checkCommit(spec, commit);
      const writes = writesOf(spec, commit.changes);
      await claimed(spec, commit, (db, _, claim) =>
        commitTo(db, spec.name, claim, commit, writes, TRANSACTION_MS),
      );
    },

    promote: async (spec, build, epoch, { mayBeBehind } = {}) => {
      await claimed(spec, { build, epoch }, async (db, session, claim) => {
        await claims.endOthers(db, await readyBuilds(db, session, spec.name));
        await promoteTo(db, spec.name, claim, { epoch, mayBeBehind, limitMs: TRANSACTION_MS });
      });
      await store
        .run((db, session) => sweep(db, session, spec.name), { limitMs: LONG_MS })
        .catch((error: unknown) => {
          // The build is live. The next `prepare` drops the recorded builds that could not be dropped now.
          if (!isAppError(error, 'views_unavailable')) throw error;
        });
    },

    close: () => store.close(),
  };
}
