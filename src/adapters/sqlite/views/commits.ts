/**
 * Commits of documents and a checkpoint, each in one transaction. A thread of its own writes them (`commits.thread.ts`),
 * so that the projector folds the next events meanwhile.
 */
import { failFenced } from '../../shared/view-rules.js';
import type { SqliteDatabase } from '../database.js';
import { failureOf, openStore, type Failure, type SqliteFile } from '../errors.js';
import { immediately } from '../transaction.js';
import { buildTables, type BuildSpec, type BuildTables } from './documents.js';
import { buildRegistry, type CheckpointChange } from './registry.js';
import type { RowWrites } from './row-writes.js';

/** A commit as the thread gets it: plain data. `spec` says how the tables of the build are laid out. */
export type RowCommit = { spec: BuildSpec; change: CheckpointChange; writes: RowWrites };

/** Null for a commit that was written. */
export type CommitResult = Failure | null;

/**
 * After 1,000 pages SQLite moves its write-ahead log into the file. One commit of a rebuild writes more than that, so
 * every commit would wait for this move.
 */
const CHECKPOINT_PAGES = 8_000;

/**
 * Each file of read models has such a connection, and fills its cache. With 32 MB, rebuilds and the fold of the outbox took
 * the same processor time: a page that is missing comes from the cache of the operating system.
 */
const CACHE_KIB = 8_000;

/** Opens the connection that writes commits. @throws LedgerError `views_unavailable` */
export function openForCommits(store: SqliteFile): SqliteDatabase {
  return openStore(store, {
    synchronous: 'NORMAL',
    busyTimeoutMs: 5_000,
    cacheKiB: CACHE_KIB,
    checkpointPages: CHECKPOINT_PAGES,
  });
}

/**
 * Prepares the function that writes a commit.
 * @throws LedgerError `fenced` or `internal`, as the port says; an error of SQLite
 */
export function committer(database: SqliteDatabase): (commit: RowCommit) => void {
  const registry = buildRegistry(database);
  const tables = new Map<string, BuildTables>();
  return ({ spec, change, writes }) => {
    const key = `${spec.name}.${change.build}`;
    immediately(database, () => {
      if (!registry.advance(spec.name, change)) {
        tables.delete(key);
        failFenced(spec.name, change.build);
      }
      if (writes.groups.length === 0 && writes.templates.length === 0) return;
      const own = tables.get(key) ?? buildTables(database, spec, change.build);
      tables.set(key, own);
      own.write(writes);
    });
  };
}

/** For the thread: one commit after the other. A commit that fails leaves the others as they are. */
export function commitsOn(store: SqliteFile, announce: (projection: string) => void) {
  return (database: SqliteDatabase): ((commits: readonly RowCommit[]) => CommitResult[]) => {
    const commit = committer(database);
    return (commits) =>
      commits.map((each) => {
        try {
          commit(each);
        } catch (error) {
          return failureOf(store, error);
        }
        // Here, and not when the projector hears of the commit: it may be folding for a long time.
        if (each.change.to !== each.change.from) announce(each.spec.name);
        return null;
      });
  };
}
