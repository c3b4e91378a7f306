/** Writes builds: one transaction per commit. A file has one writer. */
import type { ViewWriter } from '../../../ports/views.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { inStore, openStore } from '../errors.js';
import { immediately } from '../transaction.js';
import { closeAsOneFile } from '../database.js';
import { openAnnouncer } from './position-waits.js';
import { epochIn, isBehind, withPosition } from '../../shared/checkpoints.js';
import { checkCommit, failFenced, shapeOf } from '../../shared/view-rules.js';
import { buildTables, type BuildTables } from './documents.js';
import { createBuild, dropBuild, viewsStore, type ViewsFile } from './layout.js';
import { buildRegistry, lastEventOf } from './registry.js';

const EVENTS_PER_COMMIT = 5_000;

/**
 * After 1,000 pages SQLite moves its write-ahead log into the file. One commit of a rebuild writes more than that, so
 * every commit would wait for this move.
 */
const CHECKPOINT_PAGES = 8_000;

/**
 * Each file of read models has such a connection, and fills its cache. With 32 MB, rebuilds and the fold of the history took
 * the same processor time: a page that is missing comes from the cache of the operating system.
 */
const CACHE_KIB = 4_000;

/**
 * Opens the read models of a folder for writing, and makes the file where it is missing.
 * Long because it is a port: each method is short.
 * @throws AppError `views_unavailable` when the file is damaged or cannot be written.
 */
export function openSqliteViewWriter({ folder, file }: ViewsFile): ViewWriter {
  const store = viewsStore(folder, file);
  const database = openStore(store, {
    synchronous: 'NORMAL',
    busyTimeoutMs: 5_000,
    cacheKiB: CACHE_KIB,
    // What a redaction takes out of a document must not stay behind in the file.
    erases: true,
    checkpointPages: CHECKPOINT_PAGES,
  });
  const announcer = openAnnouncer(folder);
  const opened = new Map<string, BuildTables>();
  const registry = buildRegistry(database);
  let closed = false;

  const transaction = <T>(work: () => T): T =>
    inStore(store, () => {
      if (closed) fail('views_unavailable', 'the read models are closed');
      return immediately(database, work);
    });

  const openBuild = (spec: ProjectionSpec, build: number) => {
    const key = `${spec.name}.${build}`;
    const known = opened.get(key) ?? buildTables(database, spec, build);
    opened.set(key, known);
    return known;
  };

  return {
    eventsPerCommit: EVENTS_PER_COMMIT,

    builds: async (projection) =>
      inStore(store, () =>
        registry.of(projection).map((row) => {
          const { build, version } = row;
          const checkpoints = registry.checkpoints(projection, build);
          const lastEvent = lastEventOf(row);
          return withPosition({ build, version, live: row.live === 1, checkpoints, lastEvent });
        }),
      ),

    prepare: async (spec, build) =>
      transaction(() => {
        const builds = registry.of(spec.name);
        const known = builds.find((row) => row.build === build);
        const collections = JSON.stringify(shapeOf(spec));
        if (known === undefined) {
          // A reader that still knows an earlier build of that number would take the new one for the live one.
          if (builds.some((row) => row.build > build))
            fail('internal', `the build number ${build} is not new`);
          for (const sql of createBuild(spec, build)) database.exec(sql);
          registry.add(spec, build, builds.length === 0, collections);
        } else if (known.version !== spec.version || known.collections !== collections) {
          fail(
            'internal',
            `build ${build} of ${spec.name} was made for other collections: raise the version`,
          );
        }
      }),

    load: async (spec, build, keys) =>
      inStore(store, () => {
        try {
          return openBuild(spec, build).load(keys);
        } catch (error) {
          // Its tables went with it. To ask before each load would take as long as a small one.
          if (!registry.has(spec.name, build)) failFenced(spec.name, build);
          throw error;
        }
      }),

    commit: async (spec, commit) => {
      checkCommit(spec, commit);
      const { changes, ...change } = commit;
      const { build } = commit;
      transaction(() => {
        if (!registry.advance(spec.name, change)) failFenced(spec.name, build);
        if (changes.length > 0) openBuild(spec, build).write(changes);
      });
      if (commit.to !== commit.from) announcer.announce(spec.name);
    },

    promote: async (spec, build, epoch, { mayBeBehind } = {}) => {
      transaction(() => {
        const builds = registry.of(spec.name);
        const checkpoints = new Map(
          builds.map((row) => [row.build, registry.checkpoints(spec.name, row.build)]),
        );
        const next = checkpoints.get(build);
        if (next === undefined || [...checkpoints.values()].some((each) => epochIn(each) > epoch)) {
          return failFenced(spec.name, build);
        }
        // A client that saw its write would no longer see it.
        if (
          builds.some((row) => row.live === 1 && isBehind(next, checkpoints.get(row.build)!, mayBeBehind))
        ) {
          fail('internal', `build ${build} of ${spec.name} is behind the live one`);
        }
        for (const other of builds.filter((row) => row.build !== build)) {
          const collections = JSON.parse(other.collections) as CollectionSpec[];
          for (const sql of dropBuild(spec.name, other.build, collections)) database.exec(sql);
          opened.delete(`${spec.name}.${other.build}`);
        }
        registry.promote(spec.name, build, epoch);
      });
      announcer.announce(spec.name);
    },

    close: async () => {
      if (closed) return;
      closed = true;
      announcer.close();
      closeAsOneFile(database);
    },
  };
}
