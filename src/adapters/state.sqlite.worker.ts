/** The thread that writes the state: all writes that wait are one transaction. Ends at a message of null. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { isLedgerError } from '../errors.js';
import { storeError, type Store } from './sqlite.unavailable.js';
import { openStateFile, writesOn, type Write } from './state.sqlite.file.js';
import type { Answer } from './state.sqlite.thread.js';

const store = workerData as Store;
const port = parentPort as MessagePort;
const database = openStateFile(store);
const apply = writesOn(database);

port.on('message', (first: Write[] | null) => {
  const messages = [first];
  for (let next = receive(); next !== undefined; next = receive()) messages.push(next);
  const writes = messages.flatMap((message) => message ?? []);
  if (writes.length > 0) port.postMessage(answerTo(writes));
  if (messages.includes(null)) close();
});

function receive(): Write[] | null | undefined {
  const received: { message: Write[] | null } | undefined = receiveMessageOnPort(port);
  return received?.message;
}

function answerTo(writes: Write[]): Answer {
  try {
    return { results: apply(writes) };
  } catch (error) {
    const failure = storeError(store, error);
    const detail = failure instanceof Error ? failure.message : String(failure);
    if (!isLedgerError(failure)) return { count: writes.length, failure: { code: 'internal', detail } };
    const { code, retryAfter } = failure;
    return {
      count: writes.length,
      failure: { code, detail, ...(retryAfter === undefined ? {} : { retryAfter }) },
    };
  }
}

function close(): void {
  try {
    // Leaves the state in its one file, as someone who copies that of a stopped server expects.
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get([]);
  } catch {
    // A full disk. All is in the write-ahead log, and the next start goes on from there.
  }
  database.close();
  port.close();
}
