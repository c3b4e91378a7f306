/**
 * The writes of a store to its SQLite file. One thread makes them for all stores of a process: the caller never waits for
 * the disk, and the writes that come during one commit are the next commit. The log, the contents, the
 * state and the deliveries are written this way.
 */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { callsTo, type Caller } from '../../concurrency/thread-calls.js';
import { AppError } from '../../errors.js';
import { programFolder } from '../../folders.js';
import type { SqliteFile } from './errors.js';

export type Writer<Write, Result> = {
  /** Resolves once the write is on disk. @throws AppError: nothing was written, or the thread ended meanwhile */
  write(write: Write): Promise<Result>;
  /** Ends when all writes are answered, and the file is closed unless others write it. */
  close(): Promise<void>;
};

/** What the thread knows to write. */
export type Tables = 'log' | 'erasing' | 'contents' | 'state' | 'deliveries';

/** A store connects to the thread by one end of a channel, on which it sends its writes. */
export type Connection = { store: SqliteFile; tables: Tables; port: MessagePort };
export type ConnectWriter = (connection: Connection) => void;

/** What the thread answers to the main thread, and on each connection. */
export type WriterThreadCalls = { connect: ConnectWriter };
export type WriteCalls<Write, Result> = { write(write: Write): Promise<Result>; close(nothing: null): void };

/** How this thread connects, and who hears what the writer thread died of. */
const way = { connect: connectToWriter, died: (_error: unknown): void => {} };
let running: { worker: Worker; calls: Caller<WriterThreadCalls> } | null = null;

/** In the main thread, `died` is told of each end by an error. Every other thread connects through the main one. */
export function useWriter(changed: Partial<typeof way>): void {
  Object.assign(way, changed);
}

/** Of the main thread: connects a store of any thread. */
export function connectToWriter(connection: Connection): void {
  writerThread().calls.tell('connect', connection, [connection.port]);
}

/** It starts with the first connection, and goes on until the process ends. The next connection replaces one that died. */
export function writerThread(): NonNullable<typeof running> {
  if (running !== null) return running;
  // The thread holds little for long. The default young generation would take 48 MiB; one of 12 took 8 MiB under load.
  const resourceLimits = { maxYoungGenerationSizeMb: 3 };
  const url = new URL('adapters/sqlite/writer.thread.js', programFolder);
  const worker = new Worker(url, { name: 'writer', resourceLimits });
  const started = (running = { worker, calls: callsTo<WriterThreadCalls>(worker) });
  const ended = (): void => {
    if (running === started) running = null;
  };
  // Before its exit: a store that has lost its connection may connect again at once.
  worker.on('error', (error) => {
    ended();
    way.died(error);
  });
  worker.on('exit', ended);
  // Writes under way keep the process running.
  worker.unref();
  return started;
}

/**
 * It connects with the first write. If the thread dies, its writes are refused, `onLost` is called, because a commit may
 * have happened without an answer, and the next write connects again.
 */
export function openWriter<Write, Result>(
  store: SqliteFile,
  tables: Tables,
  onLost: () => void = () => {},
): Writer<Write, Result> {
  let connected: { port: MessagePort; calls: Caller<WriteCalls<Write, Result>> } | null = null;
  let underWay = 0;
  let closed = false;

  function connect(): NonNullable<typeof connected> {
    const { port1: port, port2 } = new MessageChannel();
    const calls = callsTo<WriteCalls<Write, Result>>(port);
    port.on('close', () => {
      connected = null;
      const detail = 'The thread of this write has ended; try again.';
      calls.lost(new AppError(store.code, detail, { retryAfter: 1 }));
      if (!closed) onLost();
    });
    way.connect({ store, tables, port: port2 });
    return { port, calls };
  }

  return {
    async write(write) {
      if (closed) throw new AppError(store.code, 'The store is closed.');
      const { port, calls } = (connected ??= connect());
      if ((underWay += 1) === 1) port.ref();
      try {
        return await calls.call('write', write);
      } finally {
        // An idle connection does not keep the process running.
        if ((underWay -= 1) === 0) port.unref();
      }
    },
    async close() {
      closed = true;
      if (connected === null) return;
      const { port, calls } = connected;
      underWay += 1;
      port.ref();
      // A thread that has died has no file open.
      await calls.call('close', null).catch(() => {});
      port.close();
    },
  };
}
