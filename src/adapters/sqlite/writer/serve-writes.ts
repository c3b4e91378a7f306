/** The thread of a writer. All writes that wait are one transaction, as far as `fitting` lets them. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { collectWhenIdle } from '../../../memory/collect-when-idle.js';
import { closeAsOneFile, type SqliteDatabase } from '../database.js';
import { failureOf, openStore, type SqliteFile } from '../errors.js';
import type { WriterAnswer, WriterRequest } from './writer.js';

export type Serving<Write, Result> = {
  /** Opens the connection; without it, one that writes as durably as the log. */
  open?(store: SqliteFile): SqliteDatabase;
  /** Prepares the function that does a list of writes in one transaction: all of them are on disk when it returns. */
  writesOn(database: SqliteDatabase): (writes: readonly Write[]) => readonly Result[];
  /** How many of the waiting writes the next transaction takes, at least one; without it, all. */
  fitting?(waiting: readonly Write[]): number;
  /** Called after each transaction. */
  onCommit?(): void;
  onClose?(): void;
};

/** Serves writes until the message of null. */
export function serveWrites<Write, Result>(serving: Serving<Write, Result>): void {
  const { open = openWritable, fitting = (waiting) => waiting.length } = serving;
  const store = workerData as SqliteFile;
  const port = parentPort as MessagePort;
  const database = open(store);
  const apply = serving.writesOn(database);
  const waiting: Write[] = [];
  let closing = false;
  collectWhenIdle();

  port.on('message', (first: WriterRequest<Write>) => {
    take(first);
    for (;;) {
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
        take(more.message);
      if (waiting.length === 0) break;
      port.postMessage(answerTo(waiting.splice(0, fitting(waiting))));
      serving.onCommit?.();
    }
    if (closing) close();
  });

  function take(request: WriterRequest<Write>): void {
    if (request === null) closing = true;
    else for (const write of request) waiting.push(write);
  }

  function answerTo(writes: readonly Write[]): WriterAnswer<Result> {
    try {
      return { results: apply(writes) };
    } catch (error) {
      // Nothing of the group was written, so what it refused does not stand either: other writes of it may have caused
      // that.
      return { count: writes.length, failure: failureOf(store, error) };
    }
  }

  function close(): void {
    closeAsOneFile(database);
    serving.onClose?.();
    port.close();
  }
}

/** Opens a connection that writes as durably as the log. @throws AppError of the store's code */
export function openWritable(store: SqliteFile): SqliteDatabase {
  return openStore(store, { synchronous: 'FULL', busyTimeoutMs: 5_000, cacheKiB: 4_000 });
}
