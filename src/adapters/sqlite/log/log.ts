/** The event log in a SQLite file: one process, one thread that writes, any number of threads that read. */
import { realpathSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Batch, EventLog, FollowOptions } from '../../../ports/event-log.js';
import { LedgerError, isLedgerError } from '../../../errors.js';
import { type FolderLock, lockFolder } from '../folder-lock.js';
import { type AppendQueue, startQueue } from './append-queue.js';
import { type ReadPage, logReader } from './read.js';
import { LOG_MIGRATIONS, logFile, prepareLogFile } from './file.js';
import { logChannel } from '../channels.js';
import { openThreadNotifier, type ThreadNotifier } from '../thread-notifier.js';
import { openDatabase } from '../database.js';
import { type Position, parseStreamName } from '../../../domain/event.js';
import { checkLimit } from '../../shared/event-checks.js';

export type SqliteLogOptions = {
  /** The folder of `events.sqlite`. A writer makes the file where it is missing. */
  folder: string;
  /** A folder has one writer. A reader is for the other threads of the writer's process, and cannot append. */
  mode: 'writer' | 'reader';
  /** The lock of the folder, where the caller holds it. Otherwise a writer takes the lock until it is closed. */
  lock?: FolderLock;
};

/** One commit of the writer. A larger append would delay the others, and all of it is copied from thread to thread. */
const LIMITS = { events: 1_000, bytes: 1_000_000 };

/**
 * Opens the log of a folder. Reads run on the calling thread, and appends on a thread of their own.
 * @throws Error when another server has the folder, or when the file is damaged or not a log.
 */
export async function openSqliteLog({ folder, mode, lock }: SqliteLogOptions): Promise<EventLog> {
  if (mode === 'reader') return openLog(realpathSync(folder), null);
  const own = lock === undefined ? lockFolder(folder) : null;
  try {
    return withCache(await openLog(realpathSync(folder), { release: () => own?.release() }));
  } catch (error) {
    own?.release();
    throw error;
  }
}

async function openLog(folder: string, writer: { release(): void } | null): Promise<EventLog> {
  const file = logFile(folder);
  if (writer !== null) prepareLogFile(file);
  const database = openDatabase(file, {
    readonly: true,
    synchronous: 'FULL',
    busyTimeoutMs: 2000,
    migrations: LOG_MIGRATIONS,
  });
  const reader = logReader(database, file);
  const channel = logChannel(folder);
  const committed = openThreadNotifier(channel);
  let queue: AppendQueue | null = null;
  let closing: Promise<void> | undefined;
  try {
    if (writer !== null) queue = await startQueue({ file, channel }, committed.notify);
  } catch (error) {
    committed.close();
    database.close();
    throw error;
  }

  async function close(): Promise<void> {
    await queue?.close();
    committed.close();
    database.close();
    writer?.release();
  }

  function open(): typeof reader {
    if (closing === undefined) return reader;
    throw new LedgerError('log_unavailable', 'The event log is closed.');
  }

  return {
    append: queue?.append ?? (() => Promise.reject(new Error('this log was opened for reading'))),
    readStream: async (stream, options = {}) => {
      checkLimit(options.limit);
      return open().stream(stream, options);
    },
    readAll: async ({ after, inclusive, limit = 1000, filter }) => {
      checkLimit(limit);
      return open().pages(filter)(after, limit, inclusive);
    },
    follow: (options) => {
      checkLimit(options.limit);
      return follow((after, limit) => open().pages(options.filter)(after, limit), committed, options);
    },
    head: async (team) => open().head(team),
    // Positions have no gaps: only one writer makes them, and no event is ever removed.
    eventCount: async () => Number(open().head(undefined)),
    limits: LIMITS,
    singleWriter: true,
    close: () => (closing ??= close()),
  };
}

/** While the filter leaves out all new events, the position is passed on this often, instead of with each event. */
const POSITION_EVERY_MS = 100;

/**
 * Follows the log: history page by page, then live, until the signal is aborted. Yields an empty batch where the
 * consumer has news without events: that it has caught up, or how far the log was read.
 */
export async function* follow(
  read: ReadPage,
  committed: ThreadNotifier,
  options: FollowOptions,
): AsyncGenerator<Batch, void> {
  const { signal, limit = 2000 } = options;
  let position = options.after;
  let yielded = { position, caughtUp: false, at: performance.now() };

  while (!signal.aborted) {
    // Counted before the read, so that a commit right after the read ends the wait.
    const seen = committed.count();
    const batch = read(position, limit);
    position = batch.position;
    const news = batch.events.length > 0 || (batch.caughtUp && !yielded.caughtUp);
    if (news || positionDueIn() <= 0) {
      yield batch;
      yielded = { position, caughtUp: batch.caughtUp, at: performance.now() };
    }
    if (batch.caughtUp) await committed.wait(seen, positionDueIn(), signal);
    // Pages are read on this thread. Without a pause between them, a long history would block everything on it.
    else await setImmediate();
  }

  function positionDueIn(): number {
    return position === yielded.position ? Infinity : yielded.at + POSITION_EVERY_MS - performance.now();
  }
}

/** How many teams and streams the cache holds. */
const MOST_TEAMS = 10_000;
const MOST_STREAMS = 20_000;

/**
 * Puts a cache in front of the writing process' log. Only this process appends, and it learns of every commit, so the
 * cache can hold the head of a team, which every GET asks for, and the end of a stream, which every write asks for.
 * The head of all teams is read from the file each time: a follower reads an event when it is committed, which is before
 * its append is answered, and a position that a reader was given must not lie after the head.
 */
function withCache(log: EventLog): EventLog {
  const heads = new LRUCache<string, Position>({ max: MOST_TEAMS });
  const tails = new LRUCache<string, number>({ max: MOST_STREAMS });

  // A repeated append gets its first answer, with an old position. The cache never goes back to it.
  const raise = (team: string, position: Position) => {
    const known = heads.get(team);
    if (known !== undefined && known < position) heads.set(team, position);
  };

  return {
    ...log,
    async append(stream, expected, events) {
      try {
        const appended = await log.append(stream, expected, events);
        raise(parseStreamName(stream).team, appended.position);
        tails.set(stream, Math.max(tails.get(stream) ?? -1, appended.revision));
        return appended;
      } catch (error) {
        tails.delete(stream);
        // The append may have been written all the same, so the file is asked again.
        if (isLedgerError(error, 'log_unavailable')) heads.clear();
        throw error;
      }
    },
    async readStream(stream, options = {}) {
      const { from = 0, direction = 'forwards' } = options;
      if (direction === 'backwards') return log.readStream(stream, options);
      const tail = tails.get(stream);
      if (tail !== undefined && from > tail) return { events: [], isEnd: true };
      const page = await log.readStream(stream, options);
      if (page.isEnd) {
        tails.set(stream, Math.max(tails.get(stream) ?? -1, from + page.events.length - 1));
      }
      return page;
    },
    lastRevision: (stream) => tails.get(stream),
    async head(team) {
      if (team === undefined) return log.head();
      const known = heads.get(team);
      if (known !== undefined) return known;
      const head = await log.head(team);
      heads.set(team, head);
      return head;
    },
  };
}
