/** Writes builds, in the caller's thread: one transaction per commit. A file has one writer. */
import type { Checkpoint, Commit, ViewWriter } from '../../../ports/views.js';
import { ALL_PARTITIONS } from '../../../domain/partition.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { inStore, openStore } from '../errors.js';
import { immediately } from '../transaction.js';
import { closeAsOneFile, type SqliteDatabase } from '../database.js';
import { openAnnouncer } from './position-waits.js';
import {
  checkpointsAfter,
  epochIn,
  FIRST_CHECKPOINT,
  isBehind,
  withPosition,
} from '../../shared/checkpoints.js';
import { checkCommit, failFenced, shapeOf } from '../../shared/view-rules.js';
import { buildTables, type BuildTables } from './documents.js';
import { createBuild, dropBuild, viewsStore, type ViewsFile } from './layout.js';

/**
 * A commit of a rebuild writes more than SQLite's 1,000 pages. With those, each commit would wait until all of it is in
 * its place on the disk.
 */
const CHECKPOINT_PAGES = 8_000;

const EVENTS_PER_COMMIT = 5_000;

type BuildRow = { build: number; version: number; live: number; collections: string };

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
        registry.of(projection).map(({ build, version, live }) => {
          const checkpoints = registry.checkpoints(projection, build);
          return withPosition({ build, version, live: live === 1, checkpoints });
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
      closeAsOneFile(database);
    },
  };
}

function buildStatements(database: SqliteDatabase) {
  const of = 'WHERE projection = ? AND build = ?';
  const rows = database.prepare(
    'SELECT build, version, live, collections FROM builds WHERE projection = ? ORDER BY build',
  );
  const insert = database.prepare(
    'INSERT INTO builds (projection, build, version, live, collections) VALUES (?, ?, ?, ?, ?)',
  );
  const checkpoints = database.prepare(
    `SELECT partitions, position, epoch FROM checkpoints ${of} ORDER BY partitions`,
  );
  const addCheckpoint = database.prepare(
    'INSERT INTO checkpoints (projection, build, partitions, position, epoch) VALUES (?, ?, ?, ?, ?)',
  );
  const removeCheckpoints = database.prepare(`DELETE FROM checkpoints ${of}`);
  const move = database.prepare(
    `UPDATE checkpoints SET position = ?, epoch = ? ${of} AND partitions = ? AND position = ? AND epoch <= ?`,
  );
  const raise = database.prepare(`UPDATE checkpoints SET epoch = ? ${of}`);
  const removeOthers = ['builds', 'checkpoints'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE projection = ? AND build <> ?`),
  );
  const enliven = database.prepare(`UPDATE builds SET live = 1 ${of}`);
  const checkpointsOf = (projection: string, build: number) =>
    checkpoints.all([projection, build]) as Checkpoint[];

  return {
    of: (projection: string) => rows.all([projection]) as BuildRow[],
    checkpoints: checkpointsOf,
    add({ name, version }: ProjectionSpec, build: number, live: boolean, collections: string): void {
      insert.run([name, build, version, live ? 1 : 0, collections]);
      const { partitions, position, epoch } = FIRST_CHECKPOINT;
      addCheckpoint.run([name, build, partitions, position, epoch]);
    },
    /** False if the commit is fenced. */
    advance(projection: string, commit: Commit): boolean {
      const { build, epoch, from, to, partitions = ALL_PARTITIONS } = commit;
      // Nearly every commit moves all partitions from one position to another.
      if (partitions === ALL_PARTITIONS) {
        const moved = move.run([to, epoch, projection, build, partitions, from, epoch]);
        if (moved.changes === 1) return true;
      }
      const after = checkpointsAfter(checkpointsOf(projection, build), commit);
      if (after === null) return false;
      removeCheckpoints.run([projection, build]);
      for (const each of after) {
        addCheckpoint.run([projection, build, each.partitions, each.position, each.epoch]);
      }
      return true;
    },
    promote(projection: string, build: number, epoch: number): void {
      for (const remove of removeOthers) remove.run([projection, build]);
      enliven.run([projection, build]);
      raise.run([epoch, projection, build]);
    },
  };
}
