import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { writerThread } from '../../../src/adapters/sqlite/writer.js';
import type { State } from '../../../src/ports/state.js';
import { isAppError } from '../../../src/errors.js';
import { stateContract } from '../../contract/state/contract.js';
import { breakWriter } from './log.folder.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-state-'));

stateContract('SQLite', async () => {
  const folder = await emptyFolder();
  return { open: (now) => openSqliteState({ folder, now }), remove: () => rm(folder, { recursive: true }) };
});

describe('the state in a SQLite file', function () {
  let folder: string;
  let opened: State[];
  const open = (): State => {
    const state = openSqliteState({ folder });
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
    const state = open();
    await state.put('kind', 'before', 1, { expected: 'absent' });
    const had = Array.from({ length: 50 }, (_, n) =>
      state.put('kind', `during ${n}`, n, { expected: 'absent' }),
    );
    const settled = Promise.allSettled(had);
    const broken = breakWriter();
    for (const one of await settled) {
      if (one.status === 'rejected') expect(isAppError(one.reason, 'state_unavailable')).to.equal(true);
    }
    expect(await state.put('kind', 'after', 2, { expected: 'absent' })).to.be.a('number');
    expect(await state.get('kind', 'before')).to.not.equal(null);
    expect(writerThread().worker).not.to.equal(broken);
  });

  it('names a damaged file, and what to do about it', async () => {
    await writeFile(join(folder, 'state.sqlite'), 'garbage'.repeat(1_000));
    expect(() => open())
      .to.throw()
      .that.satisfies((error: unknown) => {
        expect(isAppError(error, 'state_unavailable')).to.equal(true);
        expect(String(error)).to.include(join(folder, 'state.sqlite')).and.to.include('backup');
        return true;
      });
  });
});
