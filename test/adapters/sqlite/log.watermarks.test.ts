import { expect } from 'chai';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { readWatermarks, writeWatermarks } from '../../../src/adapters/sqlite/log/watermarks.js';
import { streamName } from '../../../src/domain/event.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { ids, newEvents, newTeam, refusal } from '../../contract/event-log.events.js';
import { breakThread, startedThreads } from './log.folder.js';

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

  it('are above the row of every append that was answered, and never below a doubt', async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    const marks = writeWatermarks(own);
    const reader = readWatermarks(own);
    // A process reads once for all that it does before it waits.
    const shown = async (name: string) => {
      await setImmediate();
      return reader.of(name);
    };
    expect(await shown(stream)).to.equal(0);
    marks.appended(stream, 7);
    expect(await shown(stream), 'before it is published').to.equal(0);
    marks.publish();
    expect([await shown(stream), await shown(team)]).to.deep.equal([7, 7]);
    marks.lost(stream);
    // A repeat of an earlier append says nothing of the one that was lost.
    marks.appended(stream, 7);
    marks.publish();
    expect([await shown(stream), await shown(team)]).to.deep.equal([NaN, NaN]);
    marks.appended(stream, 9);
    marks.publish();
    expect([await shown(stream), await shown(team)]).to.deep.equal([9, 9]);
    reader.close();
    marks.close();
  });

  it('are for the owner of the folder alone, and gone after a clean stop', async () => {
    const file = join(folder, 'events.watermarks');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    for (const log of [...workers, writer]) await log.close();
    expect(existsSync(file)).to.equal(false);
  });

  it('do not let a log without an append for workers append by itself', async () => {
    const worker = await openSqliteLog({ folder, mode: 'worker' });
    await worker.append(stream, 'none', newEvents(1)).then(
      () => expect.fail('it appended'),
      (error: Error) => expect(error.message).to.include('opened for reading'),
    );
    await refusal(writer.append(stream, 7, newEvents(1)), 'wrong_revision');
    await worker.close();
  });
});
