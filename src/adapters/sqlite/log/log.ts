/** The event log in a SQLite file: one process, one thread that writes, any number that read. */
import { realpathSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Batch, EventLog, FollowOptions } from '../../../ports/event-log.js';
import { LedgerError, isLedgerError } from '../../../errors.js';
import { type FolderLock, lockFolder } from '../folder-lock.js';
import { type AppendQueue, startQueue } from './append-queue.js';
import { type ReadPage, logReader } from './read.js';
import { LOG_MIGRATIONS, logFile, prepareLogFile } from './file.js';
import { openThreadNotifier, type ThreadNotifier } from '../thread-notifier.js';
import { openDatabase } from '../database.js';
import { type Position, parseStreamName } from '../../../domain/event.js';
import { checkLimit } from '../../shared/event-checks.js';

export type SqliteLogOptions = {
  /** Holds `events.sqlite`. A writer makes it where it is missing. */
  folder: string;
  /** One writer a folder. A reader is for the other threads of the writer's process: it cannot append. */
  mode: 'writer' | 'reader';
  /** Of this folder, where the caller holds it already; else a writer takes it until it is closed. */
  lock?: FolderLock;
};

/** One commit of the writer's: a larger append would keep single ones waiting, and is copied from thread to thread. */
const LIMITS = { events: 1_000, bytes: 1_000_000 };

/**
 * Opens the log of a folder. Reads are look-ups on the calling thread; appends cross to a thread of their own.
 * @throws Error when another server has the folder, or the file is damaged or no log.
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
  // Threads meet by the name of the channel, so the folder's one true path.
  const channel = `testledger-log:${folder}`;
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
    throw new LedgerError('log_unavailable', 'The event log is closed');
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
    limits: LIMITS,
    singleWriter: true,
    close: () => (closing ??= close()),
  };
}

/** Following the SQLite log: history page by page, then live. */
/** While only events come that the filter leaves out, the position is told so often and not with each of them. */
const POSITION_EVERY_MS = 100;

/**
 * Yields batches until the signal is aborted. An empty one is yielded where the consumer has news all the same:
 * that it has caught up, or how far the log was looked at.
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
    // Counted before the read, so that what is committed right after it is not slept through.
    const seen = committed.count();
    const batch = read(position, limit);
    position = batch.position;
    const news = batch.events.length > 0 || (batch.caughtUp && !yielded.caughtUp);
    if (news || positionDueIn() <= 0) {
      yield batch;
      yielded = { position, caughtUp: batch.caughtUp, at: performance.now() };
    }
    if (batch.caughtUp) await committed.wait(seen, positionDueIn(), signal);
    // Pages are read on this thread: without a turn between them, a long history would stop all else on it.
    else await setImmediate();
  }

  function positionDueIn(): number {
    return position === yielded.position ? Infinity : yielded.at + POSITION_EVERY_MS - performance.now();
  }
}

/**
 * What the writing process knows without asking the file: it alone appends and it hears of every commit, so the head
 * of a team and the end of a stream can be remembered. Each GET asks for the first, each write for the second.
 */
const MOST_TEAMS = 10_000;
const MOST_STREAMS = 20_000;
const ALL_TEAMS = '';

/** Puts the memory before a log that nobody else appends to. */
export function withCache(log: EventLog): EventLog {
  const heads = new LRUCache<string, Position>({ max: MOST_TEAMS });
  const tails = new LRUCache<string, number>({ max: MOST_STREAMS });

  // A repeat is answered as the first time, with a position long past: what is known never goes back.
  const raise = (team: string, position: Position) => {
    const known = heads.get(team);
    if (known !== undefined && known < position) heads.set(team, position);
  };

  return {
    ...log,
    async append(stream, expected, events) {
      try {
        const appended = await log.append(stream, expected, events);
        raise(ALL_TEAMS, appended.position);
        raise(parseStreamName(stream).team, appended.position);
        tails.set(stream, Math.max(tails.get(stream) ?? -1, appended.revision));
        return appended;
      } catch (error) {
        tails.delete(stream);
        // Something may have been written all the same: ask the file again.
        if (isLedgerError(error, 'log_unavailable')) heads.clear();
        throw error;
      }
    },
    async readStream(stream, options = {}) {
      const { from = 0, direction = 'forwards', limit = 1_000 } = options;
      if (direction === 'backwards') return log.readStream(stream, options);
      const tail = tails.get(stream);
      if (tail !== undefined && from > tail) return [];
      const events = await log.readStream(stream, options);
      if (events.length < limit) {
        tails.set(stream, Math.max(tails.get(stream) ?? -1, from + events.length - 1));
      }
      return events;
    },
    async head(team = ALL_TEAMS) {
      const known = heads.get(team);
      if (known !== undefined) return known;
      const head = await log.head(team === ALL_TEAMS ? undefined : team);
      heads.set(team, head);
      return head;
    },
  };
}
