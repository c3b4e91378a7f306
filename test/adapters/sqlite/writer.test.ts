import { expect } from 'chai';
import { join } from 'node:path';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { stateStore } from '../../../src/adapters/sqlite/state/store.js';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { openWriter, useWriter, writerThread } from '../../../src/adapters/sqlite/writer.js';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import type { State } from '../../../src/ports/state.js';
import { delivery } from '../../contract/deliveries/subject.js';
import { newEvents, refusal } from '../../contract/event-log/events.js';
import { breakWriter, temporaryFolder } from './log.folder.js';

describe('the writer thread of SQLite, shared by the stores of a process', () => {
  const folder = temporaryFolder();
  let log: EventLog;
  let state: State;
  let deliveries: Deliveries;
  beforeEach(async () => {
    log = await openSqliteLog({ folder: folder.path, mode: 'writer' });
    state = openSqliteState({ folder: folder.path });
    deliveries = openSqliteDeliveries(folder.path);
  });
  afterEach(async () => {
    for (const store of [log, state, deliveries]) await store.close();
  });
  const put = (n: number) => state.put('kind', `key ${n}`, n, { expected: 'absent' });

  it('gives each store its turn: an append does not wait for all writes of the state that are there', async () => {
    await log.append('run-a.run_1', 'none', newEvents(1));
    let [running, rounds] = [true, 0];
    const putting = (async () => {
      for (let n = 0; running; rounds += 1)
        await Promise.all(Array.from({ length: 20 }, () => put((n += 1))));
    })();
    for (let revision = 0; revision < 5; revision += 1)
      await log.append('run-a.run_1', revision, newEvents(1));
    const before = rounds;
    running = false;
    await putting;
    expect(before).to.be.within(1, 15);
  });

  it('is started again when it dies: each store has its writes refused, and goes on', async () => {
    const reported: unknown[] = [];
    useWriter({ died: (error) => reported.push(error) });
    await log.append('run-a.run_1', 'none', newEvents(1));
    const { worker } = writerThread();
    breakWriter();
    await Promise.all([
      refusal(log.append('run-a.run_1', 0, newEvents(1)), 'log_unavailable'),
      refusal(put(1), 'state_unavailable'),
      refusal(deliveries.add([delivery('webhook_1', 'test_1', 1)]), 'state_unavailable'),
    ]);
    expect((await log.append('run-a.run_1', 0, newEvents(1))).revision).to.equal(1);
    expect(await put(2)).to.be.a('number');
    expect(await deliveries.add([delivery('webhook_1', 'test_1', 1)])).to.equal(1);
    expect(writerThread().worker).not.to.equal(worker);
    expect(reported).to.have.length(1);
  });

  it('goes on with the other files when one cannot be opened', async () => {
    const file = join(folder.path, 'events.sqlite', 'state.sqlite');
    const broken = openWriter({ ...stateStore(folder.path), file }, 'state');
    const write = { type: 'purge', now: '', limit: 1 };
    const { worker } = writerThread();
    await Promise.all([
      refusal(broken.write(write), 'state_unavailable'),
      log.append('run-a.run_1', 'none', newEvents(1)),
    ]);
    await refusal(broken.write(write), 'state_unavailable');
    await broken.close();
    expect(writerThread().worker).to.equal(worker);
  });

  it('has written what a store was given before its close', async () => {
    const written = Array.from({ length: 300 }, (_, n) => put(n));
    await state.close();
    expect(await Promise.all(written)).to.not.include(null);
    state = openSqliteState({ folder: folder.path });
    expect(await state.list('kind', { limit: 1_000 })).to.have.length(300);
  });
});
