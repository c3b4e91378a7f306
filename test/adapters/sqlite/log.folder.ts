/** Folders for the tests of the SQLite log, and what must be true of a folder whatever happened to its writer. */
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { EventLog } from '../../../src/ports/event-log.js';
import { START, type RecordedEvent } from '../../../src/domain/event.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { writerThread } from '../../../src/adapters/sqlite/writer.js';
import { readToEnd } from '../../contract/event-log/events.js';

export type TemporaryFolder = {
  readonly path: string;
  /** Opens the folder's log. It is closed with the folder. */
  open(mode?: 'writer' | 'reader'): Promise<EventLog>;
};

/** A new folder for each test of the block. */
export function temporaryFolder(): TemporaryFolder {
  let path = '';
  let opened: EventLog[] = [];
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'testledger-log-'));
  });
  afterEach(async () => {
    for (const log of opened.toReversed()) await log.close();
    opened = [];
    await rm(path, { recursive: true });
  });
  return {
    get path() {
      return path;
    },
    open: async (mode = 'writer') => {
      const log = await openSqliteLog({ folder: path, mode });
      opened.push(log);
      return log;
    },
  };
}

/**
 * Makes the writer thread of this process die of an error, by a message that is not a call. Not by `terminate()`: libsql
 * brings down the whole process when that interrupts its work. @returns the thread
 */
export function breakWriter(): Worker {
  const { worker } = writerThread();
  worker.postMessage(0);
  return worker;
}

/** The data that `log.child.ts` writes with each event. */
export type ChildData = { call: string; of: number; index: number };

/** An append that the child says was answered. */
export type Acknowledged = { call: string; revision: number; position: string };

/** Expects positions without a gap, every call complete and stored once, and every acknowledged call at its place. */
export async function expectWhole(
  log: EventLog,
  acknowledged: readonly Acknowledged[],
): Promise<RecordedEvent[]> {
  const { events } = await readToEnd(log, { after: START });
  expect(events.map(({ position }) => Number(position))).to.deep.equal(events.map((_, index) => index + 1));
  const calls = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const { call } = event.data as ChildData;
    calls.set(call, [...(calls.get(call) ?? []), event]);
  }
  for (const [call, stored] of calls) {
    const indexes = stored.map(({ data }) => (data as ChildData).index);
    const { of } = stored.at(-1)!.data as ChildData;
    expect(indexes, `the events of ${call}`).to.deep.equal([0, 1, 2, 3, 4].slice(0, of));
  }
  for (const { call, revision, position } of acknowledged) {
    expect(calls.get(call)?.at(-1), `the acknowledged ${call}`).to.include({ revision, position });
  }
  return events;
}
