/**
 * The thread's part of grouped writes: all writes that wait are done together, in one transaction, or in one each for
 * commits of read models. A message of null ends the thread.
 */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { collectWhenIdle } from '../../memory/collect-when-idle.js';
import { closeAsOneFile, type SqliteDatabase } from './database.js';
import type { WriteAnswer } from './grouped-writes.js';
import { failureOf, openStore, type SqliteFile } from './errors.js';

/**
 * Serves writes until the message of null.
 * @param writesOn prepares the function that does a list of writes
 */
export function serveWrites<Write, Result>(
  writesOn: (database: SqliteDatabase) => (writes: readonly Write[]) => Result[],
  open: (store: SqliteFile) => SqliteDatabase = openWritable,
): void {
  const store = workerData as SqliteFile;
  const port = parentPort as MessagePort;
  const database = open(store);
  const apply = writesOn(database);
  collectWhenIdle();

  port.on('message', (first: Write[] | null) => {
    const messages = [first];
    for (let next = receive<Write>(port); next !== undefined; next = receive(port)) messages.push(next);
    const writes = messages.flatMap((message) => message ?? []);
    if (writes.length > 0) port.postMessage(answerTo(writes));
    if (messages.includes(null)) close(database, port);
  });

  function answerTo(writes: Write[]): WriteAnswer<Result> {
    try {
      return { results: apply(writes) };
    } catch (error) {
      return { count: writes.length, failure: failureOf(store, error) };
    }
  }
}

/** Opens a connection that writes as durably as the log. @throws LedgerError of the store's code */
export function openWritable(store: SqliteFile): SqliteDatabase {
  return openStore(store, { synchronous: 'FULL', busyTimeoutMs: 5_000, cacheKiB: 4_000 });
}

function receive<Write>(port: MessagePort): Write[] | null | undefined {
  const received: { message: Write[] | null } | undefined = receiveMessageOnPort(port);
  return received?.message;
}

function close(database: SqliteDatabase, port: MessagePort): void {
  closeAsOneFile(database);
  port.close();
}
