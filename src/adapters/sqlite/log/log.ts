/** The event log in a SQLite file: one process, one thread that writes, any number that read. */
import { realpathSync } from 'node:fs';
import type { EventLog } from '../../../ports/event-log.js';
import { LedgerError } from '../../../errors.js';
import { lockFolder, type FolderLock } from '../folder-lock.js';
import { follow } from './follow.js';
import { withCache } from './with-cache.js';
import { startQueue, type AppendQueue } from './queue.js';
import { logReader } from './read.js';
import { LOG_MIGRATIONS, logFile, prepareLogFile } from './schema.js';
import { openThreadNotifier } from '../thread-notifier.js';
import { openDatabase } from '../database.js';

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
  const commits = openThreadNotifier(channel);
  let queue: AppendQueue | null = null;
  let closing: Promise<void> | undefined;
  try {
    if (writer !== null) queue = await startQueue({ file, channel }, commits.notify);
  } catch (error) {
    commits.close();
    database.close();
    throw error;
  }

  async function close(): Promise<void> {
    await queue?.close();
    commits.close();
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
      return follow((after, limit) => open().pages(options.filter)(after, limit), commits, options);
    },
    head: async (team) => open().head(team),
    limits: LIMITS,
    close: () => (closing ??= close()),
  };
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw new Error(`not a number of events: ${limit}`);
}
