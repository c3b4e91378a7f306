import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cachedLog } from '../../../src/adapters/sqlite/log/cached-log.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { logFile } from '../../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { logReader } from '../../../src/adapters/sqlite/log/read.js';
import { openWatermarks } from '../../../src/adapters/sqlite/log/watermarks.js';
import { parseStreamName, START, streamName } from '../../../src/domain/event.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { ids, newEvents, newTeam, refusal } from '../../contract/event-log/events.js';
import { breakWriter } from './log.folder.js';

describe('the watermarks of the SQLite log', () => {
  const team = newTeam();
  const stream = streamName('run', team, 'run_1');
  let folder = '';
  let log: EventLog;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-log-'));
    log = await openSqliteLog({ folder, mode: 'writer' });
  });
  afterEach(async () => {
    await log.close();
    await rm(folder, { recursive: true });
  });

  it('show at once what was answered, whatever the log has cached', async () => {
    for (let revision = 0; revision < 20; revision += 1) {
      await log.head(team);
      expect((await log.readStream(stream, { from: revision })).events).to.deep.equal([]);
      expect(log.lastRevision!(stream)).to.equal(revision - 1);
      const events = newEvents(1);
      const { position } = await log.append(stream, 'any', events);
      expect(await log.head(team)).to.equal(position);
      expect(ids((await log.readStream(stream, { from: revision })).events)).to.deep.equal(ids(events));
      expect(log.lastRevision!(stream)).to.equal(revision);
    }
  });

  it('let the log miss no event that others can see, though its append is not answered yet', async () => {
    await log.readStream(stream);
    await log.head(team);
    const database = openDatabase(logFile(folder), {
      readonly: true,
      synchronous: 'FULL',
      busyTimeoutMs: 2_000,
    });
    const file = logReader(database, folder);
    const events = newEvents(1);
    const appending = log.append(stream, 'none', events);
    await setImmediate();
    // This thread takes no message meanwhile, so not that of the answer.
    const end = performance.now() + 10_000;
    while (file.head(team) === START && performance.now() < end);
    expect(await log.head(team))
      .to.equal(file.head(team))
      .and.not.to.equal(START);
    expect(log.lastRevision!(stream)).to.equal(undefined);
    expect(ids((await log.readStream(stream)).events)).to.deep.equal(ids(events));
    database.close();
    const { position } = await appending;
    expect(await log.head(team)).to.equal(position);
  });

  it('keep the log from trusting its cache after an append without an answer', async () => {
    await log.append(stream, 'none', newEvents(1));
    await log.readStream(stream, { from: 1 });
    expect(log.lastRevision!(stream)).to.equal(0);
    breakWriter();
    const lost = newEvents(1);
    await refusal(log.append(stream, 0, lost), 'log_unavailable');
    expect(log.lastRevision!(stream)).to.equal(undefined);
    // Whether it was written is for the file to say.
    const { events } = await log.readStream(stream);
    expect(events.length).to.be.oneOf([1, 2]);
    await log.append(stream, 0, lost);
    expect(ids((await log.readStream(stream, { from: 1 })).events)).to.deep.equal(ids(lost));
  });
});

describe('a watermark', () => {
  const stream = streamName('run', newTeam(), 'run_1');
  const { team } = parseStreamName(stream);

  it('shows nothing that can be trusted from the begin of an append to its end, and then its row', () => {
    const marks = openWatermarks(() => 0);
    const shown = () => [marks.of(stream), marks.of(team)];
    const other = streamName('run', team, 'run_2');
    expect(shown()).to.deep.equal([0, 0]);
    marks.begin(stream);
    marks.begin(other);
    expect(shown()).to.deep.equal([NaN, NaN]);
    marks.end(stream, 7);
    expect(shown(), 'while another append of the team is under way').to.deep.equal([7, NaN]);
    marks.end(other, 8);
    expect(shown()).to.deep.equal([7, 8]);
    marks.begin(stream);
    marks.end(stream, 0);
    expect(shown(), 'after one that was refused').to.deep.equal([7, 8]);
  });

  it('shows nothing after an append that was lost, until there is a newer one: a repeat is not', () => {
    let newest = 5;
    const marks = openWatermarks(() => newest);
    const ends = (row: number | null) => {
      marks.begin(stream);
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
    const marks = openWatermarks(() => newest);
    const other = streamName('run', newTeam(), 'run_2');
    marks.begin(stream);
    marks.begin(other);
    newest = 6;
    marks.end(stream, null);
    marks.end(other, 6);
    expect([marks.of(stream), marks.of(other)]).to.deep.equal([NaN, 6]);
  });

  it('shows nothing more once the log cannot say what was lost', () => {
    let isReadable = true;
    const marks = openWatermarks(() => {
      if (isReadable) return 0;
      throw new Error('the log cannot be read');
    });
    isReadable = false;
    marks.begin(stream);
    marks.end(stream, null);
    marks.begin(stream);
    marks.end(stream, 9);
    expect(marks.of(stream)).to.deep.equal(NaN);
    expect(marks.of('another')).to.deep.equal(NaN);
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
