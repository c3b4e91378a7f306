/** The thread that writes the SQLite log. */
import { dirname } from 'node:path';
import { BroadcastChannel, workerData } from 'node:worker_threads';
import { logChannel } from '../channels.js';
import { openStore, type SqliteFile } from '../errors.js';
import { serveWrites } from '../writer/serve-writes.js';
import { appender } from './append.js';
import { VALUES_PER_EVENT, type AppendCall, type AppendOutcome } from './append-call.js';

/** A commit of this size takes about 15 ms, the longest that a single append should wait for those before it. */
const MOST_EVENTS = 1000;
/** A transaction larger than the page cache is written twice. */
const MOST_CHARACTERS = 4_000_000;
/**
 * 2 MB. A checkpoint runs inside a commit. With SQLite's 1,000 pages, one in a hundred appends waited 8 to 11 ms for it;
 * with 500 pages, about 6 ms, at the same throughput. With 100 or fewer, its own syncs cost more than they spread.
 */
const CHECKPOINT_PAGES = 500;

const followers = new BroadcastChannel(logChannel(dirname((workerData as SqliteFile).file)));
serveWrites<AppendCall, AppendOutcome>({
  open: (store) =>
    openStore(store, {
      synchronous: 'FULL',
      busyTimeoutMs: 5_000,
      cacheKiB: 8_000,
      checkpointPages: CHECKPOINT_PAGES,
    }),
  writesOn: appender,
  fitting,
  onCommit: () => followers.postMessage(null),
  onClose: () => followers.close(),
});

function fitting(waiting: readonly AppendCall[]): number {
  let events = 0;
  let characters = 0;
  const size = waiting.findIndex((call, index) => {
    events += Math.floor(call.length / VALUES_PER_EVENT);
    for (const value of call) characters += typeof value === 'string' ? value.length : 0;
    return index > 0 && (events > MOST_EVENTS || characters > MOST_CHARACTERS);
  });
  return size === -1 ? waiting.length : size;
}
