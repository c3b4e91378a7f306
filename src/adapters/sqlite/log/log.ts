/** The event log in a SQLite file: one process, one thread that writes, any number of threads that read. */
import { realpathSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Batch, EventLog, FollowOptions } from '../../../ports/event-log.js';
import { AppError } from '../../../errors.js';
import type { LogMode } from '../../adapter.js';
import { openAppends, type Appends } from './appends.js';
import { cachedLog } from './cached-log.js';
import { type ReadPage, logReader } from './read.js';
import { LOG_MIGRATIONS, logFile, prepareLogFile, rowOfPosition } from './file.js';
import { logChannel } from '../channels.js';
import { openThreadNotifier, type ThreadNotifier } from '../thread-notifier.js';
import { openDatabase } from '../database.js';
import { openWatermarks, type Watermarks } from './watermarks.js';
import { checkLimit } from '../../shared/event-checks.js';

/** One commit of the writer. A larger append would delay the others, and all of it is copied from thread to thread. */
const LIMITS = { events: 1_000, bytes: 1_000_000 };

/**
 * Opens the log of a folder, `events.sqlite`. Reads run on the calling thread, and appends on the writer thread. A
 * writer makes the file where it is missing. Its caller holds the lock of the folder, which has one writer.
 * @throws Error when the file is damaged or not a log.
 */
export async function openSqliteLog(options: { folder: string; mode: LogMode }): Promise<EventLog> {
  const writes = options.mode === 'writer';
  const folder = realpathSync(options.folder);
  const file = logFile(folder);
  if (writes) prepareLogFile(file);
  const database = openDatabase(file, {
    readonly: true,
    synchronous: 'FULL',
    busyTimeoutMs: 2000,
    migrations: LOG_MIGRATIONS,
  });
  const reader = logReader(database, file);
  const committed = openThreadNotifier(logChannel(folder));
  let appends: Appends | null = null;
  let watermarks: Watermarks | null = null;
  let closing: Promise<void> | undefined;
  try {
    if (writes) {
      watermarks = openWatermarks(() => rowOfPosition(reader.head(undefined)));
      appends = openAppends(file, committed.notify, watermarks);
    }
  } catch (error) {
    committed.close();
    database.close();
    throw error;
  }

  async function close(): Promise<void> {
    await appends?.close();
    committed.close();
    database.close();
  }

  function open(): typeof reader {
    if (closing === undefined) return reader;
    throw new AppError('log_unavailable', 'The event log is closed.');
  }

  const log: EventLog = {
    append: appends?.append ?? (() => Promise.reject(new Error('this log was opened for reading'))),
    ...(appends && { erase: appends.erase }),
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
  return watermarks === null ? log : cachedLog(log, watermarks);
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
