/** The SQLite log as the target of a copy. It writes on the calling thread, which waits for the disk and nothing else. */
import { realpathSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../../../domain/event.js';
import { AppError } from '../../../errors.js';
import type { LogTarget } from '../../../ports/log-target.js';
import { openDatabase } from '../database.js';
import { appender } from './append.js';
import { logFile, prepareLogFile } from './file.js';
import { openSqliteLog } from './log.js';
import { REFUSED, toAppendCall, type AppendCall } from './append-call.js';

/** One transaction for each call, so that a kill leaves all of its events or none. The caller holds the lock. */
export async function openSqliteLogTarget(folder: string): Promise<LogTarget> {
  const file = logFile(realpathSync(folder));
  prepareLogFile(file);
  const log = await openSqliteLog({ folder, mode: 'reader' });
  const database = openDatabase(file, {
    synchronous: 'FULL',
    busyTimeoutMs: 5000,
    cacheKiB: 8000,
    erases: true,
  });
  const append = appender(database);
  return {
    log,
    async take(events) {
      if (events.length === 0) return;
      const calls = callsOf(events);
      const outcomes = append(calls);
      const refused = calls.find((_, index) => outcomes[index]![0] === REFUSED);
      if (refused !== undefined) {
        throw new AppError('wrong_revision', `The stream ${refused[0]} is at another revision.`);
      }
      // The transaction was synchronous. Without a pause, no signal and no progress would be seen.
      await setImmediate();
    },
    async close() {
      await log.close();
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      database.close();
    },
  };
}

/** One call for each row of events of one stream. */
function callsOf(events: readonly RecordedEvent[]): AppendCall[] {
  const calls: AppendCall[] = [];
  for (let at = 0; at < events.length;) {
    const { stream, revision } = events[at]!;
    let end = at + 1;
    while (events[end]?.stream === stream) end += 1;
    calls.push(toAppendCall(stream, revision === 0 ? 'none' : revision - 1, events.slice(at, end)));
    at = end;
  }
  return calls;
}
