import { expect } from 'chai';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import type { Batch } from '../../../src/ports/event-log.js';
import { teamStreams } from '../../../src/domain/teams/team-streams.js';
import { START, streamName } from '../../../src/domain/event.js';
import { eventLogContract } from '../../contract/event-log/contract.js';
import { following, ids, mistake, newEvent, newEvents, newTeam } from '../../contract/event-log/events.js';
import { readToEnd, refusal, until } from '../../contract/event-log/events.js';
import { appendsBehaveAsAList } from '../../contract/event-log/model.js';
import { temporaryFolder } from './log.folder.js';

eventLogContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-log-'));
  let log = await openSqliteLog({ folder, mode: 'writer' });
  return {
    log,
    reopen: async () => {
      await log.close();
      return (log = await openSqliteLog({ folder, mode: 'writer' }));
    },
    openBeside: () => openSqliteLog({ folder, mode: 'reader' }),
    close: async () => {
      await log.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe('the event log: SQLite, beyond the contract', function () {
  const folder = temporaryFolder();
  const stream = streamName('run', newTeam(), 'run_1');

  it('answers appends that are not awaited as if each had been awaited', async () => {
    const log = await folder.open();
    await appendsBehaveAsAList(() => log);
  });

  it('numbers the events from 1 without a gap, whatever was refused in between', async () => {
    const log = await folder.open();
    expect(await log.head()).to.equal(START);
    const calls = Array.from({ length: 300 }, (_, index) =>
      log.append(stream, index % 3 === 0 ? 'any' : 7, newEvents(2)).catch(() => null),
    );
    await Promise.all(calls);
    const { events } = await readToEnd(log, { after: START });
    expect(events.length).to.be.at.least(200);
    expect(events.map(({ position }) => position)).to.deep.equal(
      events.map((_, index) => String(index + 1).padStart(20, '0')),
    );
  });

  it('knows the last revision of a stream from what it appended and read, and forgets it after a refusal', async () => {
    const log = await folder.open();
    const own = streamName('run', newTeam(), 'run_1');
    expect(log.lastRevision!(own)).to.equal(undefined);
    expect((await log.readStream(own)).events).to.deep.equal([]);
    expect(log.lastRevision!(own)).to.equal(-1);
    for (const length of [1, 3]) {
      const { revision } = await log.append(own, 'any', newEvents(length));
      expect(log.lastRevision!(own)).to.equal(revision);
    }
    await refusal(log.append(own, 7, newEvents(1)), 'wrong_revision');
    expect(log.lastRevision!(own)).to.equal(undefined);
    const reader = await openSqliteLog({ folder: folder.path, mode: 'reader' });
    expect(reader.lastRevision).to.equal(undefined);
    await reader.close();
  });

  it('takes far more in one turn than one transaction holds', async () => {
    const log = await folder.open();
    const calls = newEvents(5000).map((event) => log.append(stream, 'any', [event]));
    const large = newEvents(2500);
    calls.push(log.append(stream, 4999, large));
    expect((await Promise.all(calls)).at(-1)?.revision).to.equal(7499);
    expect(ids((await log.readStream(stream, { from: 5000, limit: 3000 })).events)).to.deep.equal(ids(large));
  });

  it('reads a page for a follower when it asks for it, and not before', async () => {
    const log = await folder.open();
    await log.append(stream, 'any', newEvents(3));
    const abort = new AbortController();
    const batches = log.follow({ after: START, limit: 2, signal: abort.signal })[Symbol.asyncIterator]();
    const next = async () => ((await batches.next()).value as Batch | undefined)?.events.length;
    expect(await next()).to.equal(2);
    await log.append(stream, 'any', [newEvent()]);
    // A page that was read ahead would hold the third event alone.
    expect(await next()).to.equal(2);
    abort.abort();
    expect(await next()).to.equal(undefined);
  });

  it('never goes back: after a position that does not exist yet, it stays at that position', async () => {
    const log = await folder.open();
    await log.append(stream, 'any', newEvents(3));
    const after = '7'.padStart(20, '0');
    for (const filter of [{}, { streams: ['run-'] }, { streams: [] }]) {
      expect(await log.readAll({ after, filter })).to.deep.equal({
        events: [],
        position: after,
        caughtUp: true,
      });
    }
  });

  describe('opened for reading', () => {
    it('sees and follows in another thread what the writer appends', async () => {
      const log = await folder.open();
      const reader = new Worker(followInThread, {
        eval: true,
        execArgv: ['--input-type=module'],
        argv: [moduleUrl, folder.path],
      });
      const given: string[] = [];
      reader.on('message', (id: string) => given.push(id));
      await once(reader, 'message');
      const events = newEvents(50);
      for (const event of events) await log.append(stream, 'any', [event]);
      await until('the events in the other thread', () => given.length === 51);
      reader.postMessage('stop');
      await once(reader, 'exit');
      expect(given.slice(1)).to.deep.equal(ids(events));
      expect((await log.append(stream, 49, [newEvent()])).revision).to.equal(50);
    });

    it('refuses an append as a mistake in the program', async () => {
      await folder.open();
      const reader = await folder.open('reader');
      await mistake(() => reader.append(stream, 'none', [newEvent()]));
    });

    it('says so when there is no log', async () => {
      const error = await mistake(() => openSqliteLog({ folder: folder.path, mode: 'reader' }));
      expect(error.message).to.include(join(folder.path, 'events.sqlite'));
    });
  });

  describe('closing', () => {
    it('answers all appends that were sent before, and refuses later ones', async () => {
      const log = await folder.open();
      const sent = newEvents(500).map((event) => log.append(stream, 'any', [event]));
      const closing = log.close();
      await refusal(log.append(stream, 'any', [newEvent()]), 'log_unavailable');
      await closing;
      expect(await Promise.all(sent)).to.have.length(500);
      await refusal(log.readStream(stream), 'log_unavailable');
      await refusal(log.head(), 'log_unavailable');
      await log.close();
    });

    it('ends followers with an error, so that none takes it for the end of the log', async () => {
      const log = await folder.open();
      const follower = following(log, { after: START });
      await until('waiting', () => follower.caughtUp());
      await log.close();
      await refusal(follower.stop(), 'log_unavailable');
    });

    it('leaves all events in the one file', async () => {
      const log = await folder.open();
      await log.append(stream, 'none', newEvents(100));
      await log.close();
      const copy = join(folder.path, 'copy');
      await mkdir(copy);
      await copyFile(join(folder.path, 'events.sqlite'), join(copy, 'events.sqlite'));
      const copied = await openSqliteLog({ folder: copy, mode: 'writer' });
      expect((await copied.readStream(stream)).events).to.have.length(100);
      await copied.close();
    });
  });

  describe('a damaged file', () => {
    const file = () => join(folder.path, 'events.sqlite');

    it('is named when the log is opened', async () => {
      await writeFile(file(), 'no database'.repeat(1000));
      const error = await mistake(() => folder.open());
      expect(error.message).to.match(/events\.sqlite is damaged or is not a SQLite database/);
    });

    it('makes reads fail with an error that says so, when they meet the damage', async () => {
      const writer = await folder.open();
      for (let round = 0; round < 10; round += 1) await writer.append(stream, 'any', newEvents(100));
      await writer.close();
      const handle = await open(file(), 'r+');
      const { size } = await handle.stat();
      // The first pages hold the schema and the roots of the trees.
      await handle.write(Buffer.alloc(size - 20 * 4096, 0xff), 0, undefined, 10 * 4096);
      await handle.close();
      const log = await folder.open();
      const errors = [refusal(readToEnd(log, { after: START }), 'log_unavailable')];
      errors.push(refusal(following(log, { after: START, limit: 2000 }).stop(), 'log_unavailable'));
      errors.push(refusal(log.readStream(stream), 'log_unavailable'));
      errors.push(refusal(log.append(stream, 5, newEvents(2)), 'log_unavailable'));
      for (const { message } of await Promise.all(errors)) expect(message).to.include(`damaged: ${file()}`);
    });

    it('makes the reads of a team fail too, instead of ending before its last events', async () => {
      const team = newTeam();
      const writer = await folder.open();
      for (let round = 0; round < 10; round += 1)
        await writer.append(streamName('run', team, `run_${round}`), 'none', newEvents(100));
      await writer.close();
      const handle = await open(file(), 'r+');
      const { size } = await handle.stat();
      for (let at = 10 * 4096; at < size; at += 4096) {
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
        // A leaf of an index. Its pointers to cells are here.
        if (buffer[0] === 10) await handle.write(Buffer.from('ff5a1377ff5a1377ff5a', 'hex'), 0, 10, at + 20);
      }
      await handle.close();
      const log = await folder.open();
      const reading = readToEnd(log, { after: START, filter: { streams: teamStreams(team) } });
      expect((await refusal(reading, 'log_unavailable')).message).to.include('damaged');
    });

    it('is also one whose events are not JSON', async () => {
      const log = await folder.open();
      await log.append(stream, 'none', newEvents(2));
      const database = openDatabase(file(), { synchronous: 'FULL', busyTimeoutMs: 1000 });
      database.exec(`UPDATE events SET data = '{"cut' WHERE revision = 1`);
      database.close();
      expect((await refusal(log.readStream(stream), 'log_unavailable')).message).to.include('damaged');
      expect((await log.readStream(stream, { limit: 1 })).events).to.have.length(1);
    });

    it('is also one without the base of a delta, and no read takes the events before it for the whole stream', async () => {
      const log = await folder.open();
      await log.append(stream, 'none', newEvents(10));
      const database = openDatabase(file(), { synchronous: 'FULL', busyTimeoutMs: 1000 });
      database.exec(`UPDATE events SET data = char(31) || '999' WHERE revision >= 8`);
      database.close();
      for (const direction of ['forwards', 'backwards'] as const)
        expect((await refusal(log.readStream(stream, { direction }), 'log_unavailable')).message).to.include(
          'damaged',
        );
    });
  });
});

const moduleUrl = new URL('../../../src/adapters/sqlite/log/log.js', import.meta.url).href;

/** Posts `ready` when it has caught up, then the id of each event. A message ends it. */
const followInThread = `
  const [moduleUrl, folder] = process.argv.slice(-2);
  const { openSqliteLog } = await import(moduleUrl);
  const { parentPort } = await import('node:worker_threads');
  const log = await openSqliteLog({ folder, mode: 'reader' });
  const abort = new AbortController();
  parentPort.once('message', () => abort.abort());
  for await (const { events } of log.follow({ after: '', signal: abort.signal })) {
    if (events.length === 0) parentPort.postMessage('ready');
    for (const { id } of events) parentPort.postMessage(id);
  }
  await log.close();
`;
