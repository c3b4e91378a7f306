/** Writes builds, in the caller's thread: one transaction per commit. A file has one writer. */
import type { Build, Commit, ViewWriter } from '../../../ports/views.js';
import { START } from '../../../domain/event.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { inStore, openStore } from '../errors.js';
import { immediately } from '../transaction.js';
import type { SqliteDatabase } from '../database.js';
import { openAnnouncer } from './position-waits.js';
import { checkCommit, failFenced, shapeOf } from '../../shared/view-rules.js';
import { buildTables, type BuildTables } from './documents.js';
import { createBuild, dropBuild, viewsStore, type ViewsFile } from './layout.js';

/**
 * A commit of a rebuild writes more than SQLite's 1,000 pages. With those, each commit would wait until all of it is in
 * its place on the disk.
 */
const CHECKPOINT_PAGES = 8_000;

const EVENTS_PER_COMMIT = 5_000;

type BuildRow = Omit<Build, 'live'> & { live: number; collections: string };

/**
 * Opens the read models of a folder for writing, and makes the file where it is missing.
 * Long because it is a port: each method is short.
 * @throws LedgerError `views_unavailable` when the file is damaged or cannot be written.
 */
export function openSqliteViewWriter({ folder, file }: ViewsFile): ViewWriter {
  const store = viewsStore(folder, file);
  const database = openStore(store, {
    synchronous: 'NORMAL',
    busyTimeoutMs: 5_000,
    cacheKiB: 32_000,
    checkpointPages: CHECKPOINT_PAGES,
  });
  const announcer = openAnnouncer(folder);
  const tables = new Map<string, BuildTables>();
  const registry = buildStatements(database);
  let closed = false;

  const transaction = <T>(work: () => T): T =>
    inStore(store, () => {
      if (closed) fail('views_unavailable', 'the read models are closed');
      return immediately(database, work);
    });

  const tablesOf = (spec: ProjectionSpec, build: number): BuildTables => {
    const key = `${spec.name}.${build}`;
    const known = tables.get(key) ?? buildTables(database, spec, build);
    tables.set(key, known);
    return known;
  };

  return {
    eventsPerCommit: EVENTS_PER_COMMIT,

    builds: async (projection) =>
      inStore(store, () =>
        registry.of(projection).map(({ collections: _, live, ...build }) => ({ ...build, live: live === 1 })),
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
        if (!registry.of(spec.name).some((row) => row.build === build)) failFenced(spec.name, build);
        return tablesOf(spec, build).load(keys);
      }),

    commit: async (spec, commit) => {
      checkCommit(spec, commit);
      const moves = commit.to !== commit.from;
      transaction(() => {
        if (!registry.advance(spec.name, commit)) failFenced(spec.name, commit.build);
        if (commit.changes.length > 0) tablesOf(spec, commit.build).write(commit.changes);
      });
      if (moves) announcer.announce(spec.name);
    },

    promote: async (spec, build, epoch) => {
      transaction(() => {
        const builds = registry.of(spec.name);
        const next = builds.find((row) => row.build === build);
        if (next === undefined || builds.some((row) => row.epoch > epoch))
          return failFenced(spec.name, build);
        // A client that saw its write would no longer see it.
        if (builds.some((row) => row.live === 1 && row.position > next.position)) {
          fail('internal', `build ${build} of ${spec.name} is behind the live one`);
        }
        for (const other of builds.filter((row) => row.build !== build)) {
          const collections = JSON.parse(other.collections) as CollectionSpec[];
          for (const sql of dropBuild(spec.name, other.build, collections)) database.exec(sql);
          tables.delete(`${spec.name}.${other.build}`);
        }
        registry.promote(spec.name, build, epoch);
      });
      announcer.announce(spec.name);
    },

    close: async () => {
      if (closed) return;
      closed = true;
      announcer.close();
      database.close();
    },
  };
}

function buildStatements(database: SqliteDatabase) {
  const rows = database.prepare(
    'SELECT build, version, position, epoch, live, collections FROM builds WHERE projection = ? ORDER BY build',
  );
  const insert = database.prepare(
    'INSERT INTO builds (projection, build, version, position, epoch, live, collections) VALUES (?, ?, ?, ?, 0, ?, ?)',
  );
  const update = database.prepare(
    `UPDATE builds SET position = ?, epoch = ? WHERE projection = ? AND build = ? AND position = ? AND epoch <= ?`,
  );
  const remove = database.prepare('DELETE FROM builds WHERE projection = ? AND build <> ?');
  const enliven = database.prepare(
    'UPDATE builds SET live = 1, epoch = ? WHERE projection = ? AND build = ?',
  );
  return {
    of: (projection: string) => rows.all([projection]) as BuildRow[],
    add: ({ name, version }: ProjectionSpec, build: number, live: boolean, collections: string): void => {
      insert.run([name, build, version, START, live ? 1 : 0, collections]);
    },
    /** False if the build was dropped, is at another position, or has seen a higher epoch. */
    advance: (projection: string, { build, epoch, from, to }: Commit): boolean =>
      update.run([to, epoch, projection, build, from, epoch]).changes === 1,
    promote: (projection: string, build: number, epoch: number): void => {
      remove.run([projection, build]);
      enliven.run([epoch, projection, build]);
    },
  };
}
