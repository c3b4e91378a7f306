/**
 * The thread that writes the SQLite log. It waits for the disk, so that no request does. All appends that come in
 * during one commit go into the next.
 */
import { BroadcastChannel, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { appender } from './append.js';
import {
  VALUES_PER_EVENT,
  type WriterAnswer,
  type AppendCall,
  type WriteFailure,
} from './thread-messages.js';
import type { WriterRequest, WriterData } from './thread-messages.js';
import { collectWhenIdle } from '../../../memory/collect-when-idle.js';
import { closeAsOneFile, isBusy, isCorrupt, isFull, openDatabase } from '../database.js';

/** A commit of this size takes about 15 ms, the longest that a single append should wait for those before it. */
const MOST_EVENTS = 1000;
/** A transaction larger than the page cache is written twice. */
const MOST_CHARACTERS = 4_000_000;

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const { file, channel } = workerData as WriterData;
const database = openDatabase(file, { synchronous: 'FULL', busyTimeoutMs: 5000, cacheKiB: 8000 });
// 2 MB at a time. A checkpoint runs inside a commit. With SQLite's 1,000 pages, one in a hundred appends waited 8 to 11
// ms for it; with 500 pages, about 6 ms, at the same throughput. With 100 or fewer, its own syncs cost more than they
// spread.
database.exec('PRAGMA wal_autocheckpoint = 500');
const append = appender(database);
const followers = new BroadcastChannel(channel);
const waiting: AppendCall[] = [];
let closing = false;

collectWhenIdle();
port.on('message', (request: WriterRequest) => {
  take(request);
  for (;;) {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      take(more.message as WriterRequest);
    }
    if (waiting.length === 0) break;
    port.postMessage(commit(waiting.splice(0, groupSize())));
    followers.postMessage(null);
  }
  if (closing) close();
});
port.postMessage('ready' satisfies WriterAnswer);

function take(request: WriterRequest): void {
  if (request === 'close') closing = true;
  else for (const call of request) waiting.push(call);
}

/** How many of the waiting calls the next transaction takes: at least one. */
function groupSize(): number {
  let events = 0;
  let characters = 0;
  const size = waiting.findIndex((call, index) => {
    events += Math.floor(call.length / VALUES_PER_EVENT);
    for (const value of call) characters += typeof value === 'string' ? value.length : 0;
    return index > 0 && (events > MOST_EVENTS || characters > MOST_CHARACTERS);
  });
  return size === -1 ? waiting.length : size;
}

function commit(calls: readonly AppendCall[]): WriterAnswer {
  try {
    return { outcomes: append(calls) };
  } catch (error) {
    // Nothing of the group was written, so its refusals do not stand either: other calls of the group may have caused
    // them.
    return { failed: calls.length, why: failure(error) };
  }
}

function failure(error: unknown): WriteFailure {
  if (isFull(error)) return 'full';
  if (isBusy(error)) return 'busy';
  if (isCorrupt(error)) return 'damaged';
  return { message: error instanceof Error ? error.message : String(error) };
}

function close(): void {
  closeAsOneFile(database);
  followers.close();
  port?.close();
}
