import { expect } from 'chai';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cachedLog } from '../../../src/adapters/sqlite/log/cached-log.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { logFile } from '../../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { logReader } from '../../../src/adapters/sqlite/log/read.js';
import { openWatermarks, readWatermarks } from '../../../src/adapters/sqlite/log/watermarks.js';
import { parseStreamName, START, streamName } from '../../../src/domain/event.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { eventLogContract } from '../../contract/event-log/contract.js';
import { ids, mistake, newEvents, newTeam, refusal } from '../../contract/event-log/events.js';
import { breakThread, startedThreads } from './log.folder.js';

eventLogContract('SQLite, opened as a worker', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-log-'));
  const openWriter = () => openSqliteLog({ folder, mode: 'writer', hasWorkers: true });
  let writer = await openWriter();
  const openWorker = () => openSqliteLog({ folder, mode: 'worker', append: writer.append });
  let log = await openWorker();
  const closeBoth = async () => {
    await log.close();
    await writer.close();
  };
  return {
    log,
    reopen: async () => {
      await closeBoth();
      writer = await openWriter();
      return (log = await openWorker());
    },
    openBeside: () => openSqliteLog({ folder, mode: 'reader' }),
    close: async () => {
      await closeBoth();
      await rm(folder, { recursive: true });
    },
  };
});

describe('the watermarks of the SQLite log', () => {
  const threads = startedThreads();
  const team = newTeam();
  const stream = streamName('run', team, 'run_1');
  let folder = '';
  let writer: EventLog;
  let workers: EventLog[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-log-'));
    writer = await openSqliteLog({ folder, mode: 'writer', hasWorkers: true });
    const open = () => openSqliteLog({ folder, mode: 'worker', append: writer.append });
    workers = [await open(), await open()];
  });
  afterEach(async () => {
    for (const log of [...workers, writer]) await log.close();
    await rm(folder, { recursive: true });
  });

  it('show each process at once what another one was answered, whatever it has cached', async () => {
    const [one, other] = workers as [EventLog, EventLog];
    for (let revision = 0; revision < 20; revision += 1) {
      for (const log of workers) {
        expect(await log.head(team)).to.equal(await writer.head(team));
        expect((await log.readStream(stream, { from: revision })).events).to.deep.equal([]);
        expect(log.lastRevision!(stream)).to.equal(revision - 1);
      }
      const events = newEvents(1);
      const { position } = await (revision % 2 === 0 ? one : other).append(stream, 'any', events);
      for (const log of workers) {
        expect(await log.head(team)).to.equal(position);
        expect(ids((await log.readStream(stream, { from: revision })).events)).to.deep.equal(ids(events));
        expect(log.lastRevision!(stream)).to.equal(revision);
      }
    }
  });

  it('let no process miss an event that others can see, though its append is not answered yet', async () => {
    const all = [writer, ...workers];
    for (const log of all) {
      await log.readStream(stream);
      await log.head(team);
    }
    const database = openDatabase(logFile(folder), {
      readonly: true,
      synchronous: 'FULL',
      busyTimeoutMs: 2_000,
    });
    const file = logReader(database, folder);
    const events = newEvents(1);
    const appending = writer.append(stream, 'none', events);
    await setImmediate();
    // This thread takes no message meanwhile, so not that of the answer.
    const end = performance.now() + 10_000;
    while (file.head(team) === START && performance.now() < end);
    for (const log of all) {
      expect(await log.head(team))
        .to.equal(file.head(team))
        .and.not.to.equal(START);
      expect(log.lastRevision!(stream)).to.equal(undefined);
      expect(ids((await log.readStream(stream)).events)).to.deep.equal(ids(events));
    }
    database.close();
    const { position } = await appending;
    for (const log of all) expect(await log.head(team)).to.equal(position);
  });

  it('make no process trust its cache after an append without an answer', async () => {
    const [one] = workers as [EventLog];
    await one.append(stream, 'none', newEvents(1));
    await one.readStream(stream, { from: 1 });
    expect(one.lastRevision!(stream)).to.equal(0);
    breakThread(threads[0]);
    const lost = newEvents(1);
    await refusal(writer.append(stream, 0, lost), 'log_unavailable');
    await setImmediate();
    expect(one.lastRevision!(stream)).to.equal(undefined);
    // Whether it was written is for the file to say.
    const { events } = await one.readStream(stream);
    expect(events.length).to.be.oneOf([1, 2]);
    await writer.append(stream, 0, lost);
    expect(ids((await one.readStream(stream, { from: 1 })).events)).to.deep.equal(ids(lost));
  });

  it('are for the owner of the folder alone, and gone after a clean stop', async () => {
    const file = join(folder, 'events.watermarks');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    for (const log of [...workers, writer]) await log.close();
    expect(existsSync(file)).to.equal(false);
  });
});

describe('the file of the watermarks', () => {
  const stream = streamName('run', newTeam(), 'run_1');
  const { team } = parseStreamName(stream);
  let folder = '';
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'testledger-log-'))));
  afterEach(() => rm(folder, { recursive: true }));
  /** Runs all that waits for this turn of the event loop: a reader reads once for what it does before. */
  const turn = () => setImmediate();

  it('shows nothing that can be trusted from the begin of an append to its end, and then its row', async () => {
    const marks = openWatermarks(folder, () => 0);
    const reader = readWatermarks(folder);
    const shown = async () => {
      await turn();
      const inFile = [reader.of(stream), reader.of(team)];
      expect(inFile).to.deep.equal([marks.of(stream), marks.of(team)]);
      return inFile;
    };
    const other = streamName('run', team, 'run_2');
    expect(await shown()).to.deep.equal([0, 0]);
    marks.begin([stream, other]);
    expect(await shown()).to.deep.equal([NaN, NaN]);
    marks.end(stream, 7);
    marks.publish();
    expect(await shown(), 'while another append of the team is under way').to.deep.equal([7, NaN]);
    marks.end(other, 8);
    marks.publish();
    expect(await shown()).to.deep.equal([7, 8]);
    marks.begin([stream]);
    marks.end(stream, 0);
    marks.publish();
    expect(await shown(), 'after one that was refused').to.deep.equal([7, 8]);
    reader.close();
    marks.close();
  });

  it('shows nothing after an append that was lost, until there is a newer one: a repeat is not', () => {
    let newest = 5;
    const marks = openWatermarks(null, () => newest);
    const ends = (row: number | null) => {
      marks.begin([stream]);
      marks.end(stream, row);
      return marks.of(stream);
    };
    expect(ends(5), 'a repeat from before the start').to.equal(5);
    expect(ends(6)).to.equal(6);
    // It was written, and one more with it.
    newest = 8;
    expect(ends(null)).to.deep.equal(NaN);
    expect(ends(7)).to.deep.equal(NaN);
    expect(ends(9)).to.equal(9);
    expect(ends(6)).to.equal(9);
  });

  it('moves for an append that was written before it was known that the one before it had failed', () => {
    let newest = 5;
    const marks = openWatermarks(null, () => newest);
    const other = streamName('run', newTeam(), 'run_2');
    marks.begin([stream, other]);
    newest = 6;
    marks.end(stream, null);
    marks.end(other, 6);
    expect([marks.of(stream), marks.of(other)]).to.deep.equal([NaN, 6]);
  });

  it('is not written after it was closed', async () => {
    const marks = openWatermarks(folder, () => 0);
    marks.close();
    const path = join(folder, 'another file');
    await writeFile(path, 'its own');
    // It gets the descriptor that has become free.
    const file = openSync(path, 'r+');
    marks.begin([stream]);
    marks.end(stream, 7);
    marks.publish();
    closeSync(file);
    expect(readFileSync(path, 'utf8')).to.equal('its own');
  });

  it('shows nothing more once the log cannot say what was lost', () => {
    let isReadable = true;
    const marks = openWatermarks(null, () => {
      if (isReadable) return 0;
      throw new Error('the log cannot be read');
    });
    isReadable = false;
    marks.begin([stream]);
    marks.end(stream, null);
    marks.begin([stream]);
    marks.end(stream, 9);
    expect(marks.of(stream)).to.deep.equal(NaN);
    expect(marks.of('another')).to.deep.equal(NaN);
  });

  it('is read once for all that a process does before it waits, and anew after that', async () => {
    const marks = openWatermarks(folder, () => 0);
    const reader = readWatermarks(folder);
    await turn();
    expect(reader.of(stream)).to.equal(0);
    marks.begin([stream]);
    await Promise.resolve();
    expect(reader.of(stream)).to.equal(0);
    await turn();
    expect(reader.of(stream)).to.deep.equal(NaN);
    reader.close();
    marks.close();
  });

  it('begins anew with each writer, and a reader of the one before sees nothing of that', async () => {
    const before = openWatermarks(folder, () => 0);
    const old = readWatermarks(folder);
    before.begin([stream]);
    before.end(stream, 7);
    before.publish();
    // As after a kill: it is not closed.
    const marks = openWatermarks(folder, () => 7);
    const reader = readWatermarks(folder);
    await turn();
    expect([old.of(stream), reader.of(stream)]).to.deep.equal([7, 0]);
    for (const each of [old, reader, marks, before]) each.close();
  });

  it('tells nothing where it is cut off', async () => {
    const marks = openWatermarks(folder, () => 0);
    const reader = readWatermarks(folder);
    await truncate(join(folder, 'events.watermarks'), 16);
    expect(reader.of(stream)).to.deep.equal(NaN);
    reader.close();
    marks.close();
  });

  it('is not made for a log without workers, and a worker of such a log does not open', async () => {
    const alone = await openSqliteLog({ folder, mode: 'writer' });
    expect(existsSync(join(folder, 'events.watermarks'))).to.equal(false);
    const error = await mistake(() => openSqliteLog({ folder, mode: 'worker', append: alone.append }));
    expect(error.message).to.include('events.watermarks');
    await alone.close();
  });
});

describe('a log with a cache', () => {
  const stream = streamName('run', newTeam(), 'run_1');
  const { team } = parseStreamName(stream);

  it('trusts nothing that it has read while the watermark moved', async () => {
    let row = 0;
    let reads = 0;
    const moves = <T>(answer: T) => {
      reads += 1;
      row += 1;
      return Promise.resolve(answer);
    };
    const log = {
      readStream: () => moves({ events: [], isEnd: true }),
      head: () => moves('7'),
    } as unknown as EventLog;
    const cached = cachedLog(log, { of: () => row });
    for (let times = 1; times <= 2; times += 1) {
      await cached.readStream(stream);
      expect(cached.lastRevision!(stream)).to.equal(undefined);
      await cached.head(team);
      expect(reads).to.equal(2 * times);
    }
  });
});
