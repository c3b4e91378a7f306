/**
 * The thread that writes the SQLite files of a process. The writes of one kind that wait are one transaction, as far as
 * they fit. The kinds take turns, so that a write waits for one transaction of each other kind at most.
 */
import { dirname } from 'node:path';
import { BroadcastChannel, parentPort } from 'node:worker_threads';
import { answerCalls } from '../../concurrency/thread-calls.js';
import { collectWhenIdle } from '../../memory/collect-when-idle.js';
import { logChannel } from './channels.js';
import { FIRST_STEP_MS, giveBack } from './contents/give-back.js';
import { contentWritesOn, frees } from './contents/table.js';
import { closeAsOneFile, type OpenDatabaseOptions, type SqliteDatabase } from './database.js';
import { deliveryWritesOn } from './deliveries/table.js';
import { inStore, openStore, type SqliteFile } from './errors.js';
import { appender } from './log/append.js';
import { appendsThatFit } from './log/append-call.js';
import { eraserOn } from './log/erase.js';
import { writesOn as stateWrites } from './state/table.js';
import type { Tables, WriteCalls, WriterThreadCalls } from './writer.js';

/** Its writes and results are those of the stores that connect for it. */
type Kind = Pick<OpenDatabaseOptions, 'checkpointPages' | 'erases'> & {
  /** Prepares the function that does a list of writes in one transaction: all of them are on disk when it returns. */
  writesOn(database: SqliteDatabase): (writes: readonly never[]) => readonly unknown[];
  /** How many of the waiting writes the next transaction takes, at least one; without it, all. */
  fitting?(waiting: readonly never[]): number;
  /** Whether a write leaves pages free. */
  frees?(write: never): boolean;
};

/**
 * 2 MB. A checkpoint runs inside a commit. With SQLite's 1,000 pages, one in a hundred appends waited 8 to 11 ms for it;
 * with 500 pages, about 6 ms, at the same throughput. With 100 or fewer, its own syncs cost more than they spread.
 */
const CHECKPOINT_PAGES = 500;

const kinds: Record<Tables, Kind> = {
  log: {
    // Pages that are split must not keep copies of what is erased later.
    erases: true,
    checkpointPages: CHECKPOINT_PAGES,
    writesOn: appender,
    fitting: appendsThatFit,
  },
  // One part a transaction: appends wait for it.
  erasing: { erases: true, writesOn: eraserOn, fitting: () => 1, frees: () => true },
  contents: { erases: true, writesOn: contentWritesOn, frees },
  state: { erases: true, writesOn: stateWrites },
  deliveries: { erases: true, writesOn: deliveryWritesOn },
};

/** Commands of an operator write the state, too, one entry in a transaction. All other files wait meanwhile. */
const BUSY_TIMEOUT_MS = 2_000;

type Waiting = { write: never; resolve(result: unknown): void; reject(error: unknown): void };
type OpenTables = { waiting: Waiting[]; users: number; commit(): void; close(): void };

/** By path and kind. The one whose turn is next comes first. */
const open = new Map<string, OpenTables>();
let due = false;
collectWhenIdle();

answerCalls<WriterThreadCalls>(parentPort!, {
  connect({ store, tables: kind, port }) {
    const key = `${kind} ${store.file}`;
    const tables = open.get(key) ?? openTables(store, kind);
    open.set(key, tables);
    tables.users += 1;
    let left = false;

    answerCalls<WriteCalls<never, unknown>>(port, {
      write: (write) =>
        new Promise((resolve, reject) => {
          tables.waiting.push({ write, resolve, reject });
          if (!due) setImmediate(commitNext);
          due = true;
        }),
      close: leave,
    });
    // Its thread has died, or it has said so before.
    port.on('close', leave);

    function leave(): void {
      while (tables.waiting.length > 0) tables.commit();
      if (left) return;
      left = true;
      tables.users -= 1;
      if (tables.users > 0) return;
      open.delete(key);
      tables.close();
    }
  },
});

/** One transaction of one kind. Between two of them, the event loop takes the writes that have come. */
function commitNext(): void {
  const next = [...open].find(([, { waiting }]) => waiting.length > 0);
  due = next !== undefined;
  if (next === undefined) return;
  const [key, tables] = next;
  tables.commit();
  // Behind the others.
  open.delete(key);
  open.set(key, tables);
  setImmediate(commitNext);
}

function openTables(store: SqliteFile, kind: Tables): OpenTables {
  const { writesOn, fitting, frees: freesPages, ...settings } = kinds[kind];
  const waiting: Waiting[] = [];
  const followers = kind === 'log' ? new BroadcastChannel(logChannel(dirname(store.file))) : null;
  let ready: { database: SqliteDatabase; apply: ReturnType<Kind['writesOn']> } | null = null;
  let givingBack: NodeJS.Timeout | undefined;

  function giveBackIn(milliseconds: number): void {
    givingBack ??= setTimeout(() => {
      givingBack = undefined;
      const next = ready && giveBack(ready.database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      if (next !== null) giveBackIn(next);
    }, milliseconds);
  }

  function prepare(): NonNullable<typeof ready> {
    const database = openStore(store, { synchronous: 'FULL', busyTimeoutMs: BUSY_TIMEOUT_MS, ...settings });
    return { database, apply: writesOn(database) };
  }

  return {
    waiting,
    users: 0,
    commit() {
      const writes = waiting.map(({ write }) => write);
      const group = waiting.splice(0, fitting?.(writes) ?? writes.length);
      try {
        const { apply } = (ready ??= prepare());
        const results = inStore(store, () => apply(group.map(({ write }) => write)));
        group.forEach(({ resolve }, n) => resolve(results[n]));
        if (group.some(({ write }) => freesPages?.(write))) giveBackIn(FIRST_STEP_MS);
      } catch (error) {
        // Nothing of the group was written, so what it refused does not stand either: other writes of it may have caused
        // that.
        for (const { reject } of group) reject(error);
      }
      // After the answers: whoever follows wants a processor, too.
      if (followers !== null) setImmediate(() => followers.postMessage(null));
    },
    close() {
      clearTimeout(givingBack);
      if (ready !== null) closeAsOneFile(ready.database);
      setImmediate(() => followers?.close());
    },
  };
}
