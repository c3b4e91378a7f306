/** The embedded bus: a SQLite file, which holds messages until they are acknowledged. */
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bus, BusBatch } from '../../ports/bus.js';
import { LedgerError, isLedgerError } from '../../errors.js';
import { openThreadNotifier, type ThreadNotifier } from './thread-notifier.js';
import type { Message, OutboxPosition } from '../../domain/messages/message.js';
import { type SqliteFile, inStore, openStore } from './errors.js';
import type { Migrations } from './migrations.js';
import { immediately } from './transaction.js';
import { closeAsOneFile, isCorrupt, type SqliteDatabase } from './database.js';

/** The notifier reaches the threads of this process. Another process finds new messages only when it looks. */
const POLL_MS = 500;

/** Opens the bus of a folder. @throws LedgerError `bus_unavailable` where its file cannot be used. */
export async function openLocalBus({ folder }: { folder: string }): Promise<Bus> {
  const file = openBusFile(folder);
  const published = openThreadNotifier(`testledger-bus:${realpathSync(folder)}`);
  const closing = new AbortController();
  const open = (): BusFile => {
    if (!closing.signal.aborted) return file;
    throw new LedgerError('bus_unavailable', 'the bus is closed');
  };
  return {
    publish: async (messages) => {
      if (messages.length === 0) return;
      open().put(messages);
      published.notify();
    },
    last: async () => open().last(),
    consume: ({ limit, signal }) =>
      consume(open, published, { limit, signal: AbortSignal.any([signal, closing.signal]) }),
    crossesProcesses: false,
    close: async () => {
      if (closing.signal.aborted) return;
      closing.abort();
      published.close();
      file.close();
    },
  };
}

/**
 * Messages that are not acknowledged come first in the file, so the next look finds them again, before all later ones.
 */
async function* consume(
  open: () => BusFile,
  published: ThreadNotifier,
  { limit, signal }: { limit: number; signal: AbortSignal },
): AsyncGenerator<BusBatch, void> {
  while (!signal.aborted) {
    // Counted before the look, so that a message right after the look ends the wait.
    const seen = published.count();
    const found = open().first(limit);
    if (found.length === 0) {
      await published.wait(seen, POLL_MS, signal);
      continue;
    }
    yield batchOf(open, found);
  }
}

function batchOf(open: () => BusFile, found: readonly Numbered[]): BusBatch {
  return {
    messages: found.map(({ message }) => message),
    ack: async () => open().remove(found.map(({ number }) => number)),
  };
}

/**
 * The file of the embedded bus: the messages that are not acknowledged, and the outbox position of the last published
 * one.
 */
export type BusFile = {
  /** In one commit. */
  put(messages: readonly Message[]): void;
  last(): OutboxPosition | null;
  /** The oldest messages, with their numbers. */
  first(limit: number): Numbered[];
  /** In one commit. Passes over messages that were deleted already. */
  remove(numbers: readonly number[]): void;
  close(): void;
};

export type Numbered = { number: number; message: Message };

/**
 * While no consumer takes messages, the oldest make room, and the fan-out reads them from the outbox instead. A
 * dispatcher in another process never takes any.
 */
const MOST_MESSAGES = 10_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS last (one INTEGER PRIMARY KEY CHECK (one = 1), place TEXT NOT NULL);
`;

/** The layout of the file, version after version. */
export const BUS_MIGRATIONS: Migrations = [TABLES];

/** Opens the file. Replaces a damaged one. @throws LedgerError `bus_unavailable` where it cannot be used. */
function openBusFile(folder: string): BusFile {
  const store: SqliteFile = {
    file: join(folder, 'bus.sqlite'),
    code: 'bus_unavailable',
    damaged: 'Stop the server and delete it: nothing is lost with it.',
    migrations: BUS_MIGRATIONS,
  };
  try {
    return open(store);
  } catch (error) {
    if (!isLedgerError(error) || !isCorrupt(causeOf(error))) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${store.file}${suffix}`, { force: true });
    return open(store);
  }
}

function open(store: SqliteFile): BusFile {
  // A bus may lose everything, so no commit waits for the disk.
  const database = openStore(store, { synchronous: 'NORMAL', busyTimeoutMs: 5_000 });
  return inStore(store, () => statementsOn(database, store));
}

function statementsOn(database: SqliteDatabase, store: SqliteFile): BusFile {
  const insert = database.prepare('INSERT INTO messages (message) VALUES (?)');
  const setLast = database.prepare('INSERT OR REPLACE INTO last (one, place) VALUES (1, ?)');
  const trim = database.prepare(
    'DELETE FROM messages WHERE number <= (SELECT max(number) FROM messages) - ?',
  );
  const getLast = database.prepare('SELECT place FROM last').raw();
  const oldest = database.prepare('SELECT number, message FROM messages ORDER BY number LIMIT ?').raw();
  const remove = database.prepare('DELETE FROM messages WHERE number = ?');
  const commit = (work: () => void): void => inStore(store, () => immediately(database, work));
  return {
    put: (messages) => {
      const last = messages.at(-1);
      if (last === undefined) return;
      commit(() => {
        for (const message of messages) insert.run([JSON.stringify(message)]);
        setLast.run([last.place]);
        trim.run([MOST_MESSAGES]);
      });
    },
    last: () => inStore(store, () => (getLast.get([]) as [OutboxPosition] | undefined)?.[0] ?? null),
    first: (limit) =>
      inStore(store, () => oldest.all([limit]) as [number, string][]).map(([number, message]) => ({
        number,
        message: JSON.parse(message) as Message,
      })),
    remove: (numbers) =>
      commit(() => {
        for (const number of numbers) remove.run([number]);
      }),
    close: () => closeAsOneFile(database),
  };
}

function causeOf(error: Error): unknown {
  const { cause } = error;
  return cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
}
