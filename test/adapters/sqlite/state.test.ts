import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import type { State } from '../../../src/ports/state.js';
import { isAppError } from '../../../src/errors.js';
import { stateContract } from '../../contract/state/contract.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-state-'));

/** How the two openings of the suite write. */
const openings = [
  ['SQLite, written by threads', [true, true]],
  ['SQLite, written by the caller', [false, false]],
  ['SQLite, written by a thread and by the caller', [true, false]],
] as const;
for (const [name, threads] of openings) {
  stateContract(name, async () => {
    const folder = await emptyFolder();
    let opened = 0;
    return {
      open: (now) => openSqliteState({ folder, thread: threads[(opened += 1) % 2] ?? true, now }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}

describe('the state in a SQLite file', function () {
  let folder: string;
  let opened: State[];
  const open = (thread: boolean): State => {
    const state = openSqliteState({ folder, thread });
    opened.push(state);
    return state;
  };
  beforeEach(async () => {
    folder = await emptyFolder();
    opened = [];
  });
  afterEach(async () => {
    for (const state of opened) await state.close();
    await rm(folder, { recursive: true });
  });

  it('goes on with a new thread when the writing thread dies, and refuses only the writes of that one', async () => {
    const workers: Worker[] = [];
    const seen = (worker: Worker): void => void workers.push(worker);
    process.on('worker', seen);
    const state = open(true);
    await state.put('kind', 'before', 1, { expected: 'absent' });
    const [worker] = workers;
    const had = Array.from({ length: 50 }, (_, n) =>
      state.put('kind', `during ${n}`, n, { expected: 'absent' }),
    );
    const settled = Promise.allSettled(had);
    await worker?.terminate();
    for (const one of await settled) {
      if (one.status === 'rejected') expect(isAppError(one.reason, 'state_unavailable')).to.equal(true);
    }
    expect(await state.put('kind', 'after', 2, { expected: 'absent' })).to.be.a('number');
    expect(await state.get('kind', 'before')).to.not.equal(null);
    process.off('worker', seen);
    expect(workers).to.have.length(2);
  });

  it('names a damaged file, and what to do about it', async () => {
    await writeFile(join(folder, 'state.sqlite'), 'garbage'.repeat(1_000));
    expect(() => open(true))
      .to.throw()
      .that.satisfies((error: unknown) => {
        expect(isAppError(error, 'state_unavailable')).to.equal(true);
        expect(String(error)).to.include(join(folder, 'state.sqlite')).and.to.include('backup');
        return true;
      });
  });
});
