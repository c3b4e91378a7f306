/** Reads a log in files beside the program that writes it. */
import { existsSync } from 'node:fs';
import { logFile } from '../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { START, type Position, type RecordedEvent } from '../../src/domain/event.js';
import type { EventLog } from '../../src/ports/event-log.js';

export async function allEvents(folder: string): Promise<RecordedEvent[]> {
  return reading(folder, eventsOf);
}

/** START where there is no log yet. */
export async function headOf(folder: string): Promise<Position> {
  if (!existsSync(logFile(folder))) return START;
  // The program may be making the tables at this moment.
  return reading(folder, (log) => log.head()).catch(() => START);
}

export async function eventsOf(log: Pick<EventLog, 'readAll'>): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = START; ;) {
    const page = await log.readAll({ after, limit: 1_000 });
    events.push(...page.events);
    if (page.caughtUp) return events;
    after = page.position;
  }
}

async function reading<T>(folder: string, work: (log: EventLog) => Promise<T>): Promise<T> {
  const log = await openSqliteLog({ folder, mode: 'reader' });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}
