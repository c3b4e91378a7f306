import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isBusy,
  isCorrupt,
  isFull,
  openDatabase,
  sqliteCode,
} from '../../../src/adapters/sqlite/database.js';

describe('a SQLite connection', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-sqlite-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const file = () => join(folder, 'deep', 'a.sqlite');
  const openFull = () => openDatabase(file(), { synchronous: 'FULL', busyTimeoutMs: 0 });

  function thrown(call: () => unknown): unknown {
    try {
      call();
    } catch (error) {
      return error;
    }
    return expect.fail('went well');
  }

  it('waits for the disk with each commit when it is FULL, and writes ahead', () => {
    const read = (synchronous: 'FULL' | 'NORMAL', pragma: string) =>
      openDatabase(file(), { synchronous, busyTimeoutMs: 7 }).prepare(`PRAGMA ${pragma}`).raw().get();
    expect(read('FULL', 'synchronous')).to.deep.equal([2]);
    expect(read('NORMAL', 'synchronous')).to.deep.equal([1]);
    expect(read('FULL', 'journal_mode')).to.deep.equal(['wal']);
    expect(read('FULL', 'busy_timeout')).to.deep.equal([7]);
  });

  it('opened for reading, refuses writes, sees those of others, and makes no file', () => {
    const options = { readonly: true, synchronous: 'FULL', busyTimeoutMs: 0 } as const;
    expect(() => openDatabase(file(), options)).to.throw(`there is no file ${file()}`);
    const writer = openFull();
    writer.exec('CREATE TABLE t (a)');
    const reader = openDatabase(file(), options);
    writer.exec('INSERT INTO t VALUES (1)');
    expect(reader.prepare('SELECT a FROM t').raw().all()).to.deep.equal([[1]]);
    expect(sqliteCode(thrown(() => reader.exec('DELETE FROM t')))).to.equal('SQLITE_READONLY');
  });

  it('names the file that is not a database', async () => {
    const path = join(folder, 'letter.txt');
    await writeFile(path, 'Dear reader, '.repeat(1000));
    const error = thrown(() => openDatabase(path, { synchronous: 'FULL', busyTimeoutMs: 0 })) as Error;
    expect(error.message).to.include(`${path} is damaged or is not a SQLite database`);
    expect(isCorrupt(error.cause)).to.equal(true);
  });

  it('has errors that say what is wrong', () => {
    const database = openFull();
    database.exec('CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)');
    const duplicate = thrown(() => database.exec('INSERT INTO t VALUES (1)'));
    database.exec('PRAGMA max_page_count = 5; BEGIN IMMEDIATE');
    const busy = thrown(() => openFull().exec('BEGIN IMMEDIATE'));
    const full = thrown(() => database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000)));
    const kinds = [duplicate, busy, full, new Error('another')].map((error) =>
      [isBusy, isFull, isCorrupt].map((is) => is(error)),
    );
    expect(kinds).to.deep.equal([
      [false, false, false],
      [true, false, false],
      [false, true, false],
      [false, false, false],
    ]);
  });
});
