/** Writes builds: one transaction per commit. A file has one writer. */
import type { ViewWriter } from '../../../ports/views.js';
import type { CollectionSpec, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { errorOf, inStore, openStore, type SqliteFile } from '../errors.js';
import { openWriter, type Writer } from '../writer/writer.js';
import { immediately } from '../transaction.js';
import { closeAsOneFile, type SqliteDatabase } from '../database.js';
import { openAnnouncer } from './position-waits.js';
import { epochIn, isBehind, withPosition } from '../../shared/checkpoints.js';
import { checkCommit, failFenced, shapeOf } from '../../shared/view-rules.js';
import { committer, openForCommits, type CommitResult, type RowCommit } from './commits.js';
import { buildTables, type BuildTables } from './documents.js';
import { createBuild, dropBuild, viewsStore, type ViewsFile } from './layout.js';
import { buildRegistry, lastEventOf } from './registry.js';
import { rowWrites } from './row-writes.js';
import { documentPacker, templateTable, type Packer } from './templates.js';

const EVENTS_PER_COMMIT = 5_000;

export type ViewWriterOptions = ViewsFile & {
  /** A thread of its own writes the commits: the caller goes on meanwhile. Otherwise the caller's thread writes them. */
  thread?: boolean;
};

/**
 * Opens the read models of a folder for writing, and makes the file where it is missing.
 * Long because it is a port: each method is short.
 * @throws LedgerError `views_unavailable` when the file is damaged or cannot be written.
 */
export function openSqliteViewWriter({ folder, file, thread = false }: ViewWriterOptions): ViewWriter {
  const store = viewsStore(folder, file);
  const database = thread
    ? openStore(store, { synchronous: 'NORMAL', busyTimeoutMs: 5_000, cacheKiB: 4_000 })
    : openForCommits(store);
  const announcer = openAnnouncer(folder);
  const tables = new Map<string, BuildTables>();
  const packers = new Map<string, Packer>();
  const templates = templateTable(database);
  const registry = buildRegistry(database);
  const commits = thread
    ? openWriter<RowCommit, CommitResult>(store, new URL('./commits.thread.js', import.meta.url))
    : directCommits(store, database);
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

  const packerOf = (spec: ProjectionSpec, build: number): Packer => {
    const key = `${spec.name}.${build}`;
    const known = packers.get(key) ?? documentPacker(templates, spec, build);
    packers.set(key, known);
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
        if (!registry.of(spec.name).some((row) => row.build === build)) failFenced(spec.name, build);
        return tablesOf(spec, build).load(keys);
      }),

    commit: async (spec, commit) => {
      checkCommit(spec, commit);
      if (closed) fail('views_unavailable', 'the read models are closed');
      const { changes, ...change } = commit;
      const packer = inStore(store, () => packerOf(spec, commit.build));
      try {
        const writes = inStore(store, () => rowWrites(spec, changes, packer));
        const rows = { spec: { name: spec.name, collections: shapeOf(spec) }, change, writes };
        const failure = await commits.write(rows);
        if (failure !== null) throw errorOf(failure);
        packer.stored(writes.templates);
      } catch (error) {
        // Another writer may have taken the numbers of its templates.
        const key = `${spec.name}.${commit.build}`;
        if (packers.get(key) === packer) packers.delete(key);
        throw error;
      }
      if (!thread && commit.to !== commit.from) announcer.announce(spec.name);
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
          packers.delete(`${spec.name}.${other.build}`);
        }
        registry.promote(spec.name, build, epoch);
      });
      announcer.announce(spec.name);
    },

    close: async () => {
      if (closed) return;
      closed = true;
      await commits.close();
      announcer.close();
      closeAsOneFile(database);
    },
  };
}

/** Commits on the caller's thread. */
function directCommits(store: SqliteFile, database: SqliteDatabase): Writer<RowCommit, CommitResult> {
  const commit = committer(database);
  return {
    write: async (one) => {
      inStore(store, () => commit(one));
      return null;
    },
    close: async () => {},
  };
}
