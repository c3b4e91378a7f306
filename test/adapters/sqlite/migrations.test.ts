import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { copyDatabase } from '../../../src/adapters/sqlite/copy-database.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { refuseNewerFiles } from '../../../src/adapters/sqlite/refuse-newer-files.js';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import { version as program } from '../../../src/version.js';

describe('the schema version of a SQLite file', () => {
  let folder: string;
  let opened: { close(): Promise<void> }[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-migrations-'));
    opened = [];
  });
  afterEach(async () => {
    for (const each of opened.toReversed()) await each.close();
    await rm(folder, { recursive: true });
  });
  const keep = <T extends { close(): Promise<void> }>(each: T): T => {
    opened.push(each);
    return each;
  };
  const inFile = <T>(name: string, use: (database: Database.Database) => T): T => {
    const database = new Database(join(folder, name));
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  const versionOf = (name: string): number =>
    inFile(name, (database) => (database.prepare('PRAGMA user_version').raw().get([]) as [number])[0]);

  it('of a newer program makes each that opens the file refuse it, by a message that names both versions, and leave it as it is', async () => {
    const openings: [file: string, open: () => Promise<unknown>][] = [
      ['events.sqlite', async () => keep(await openSqliteLog({ folder, mode: 'writer' }))],
      ['events.sqlite', async () => keep(await openSqliteLog({ folder, mode: 'reader' }))],
      ['events.sqlite', () => copyDatabase(join(folder, 'events.sqlite'), join(folder, 'copy.sqlite'), [''])],
      ['state.sqlite', async () => keep(openSqliteState({ folder }))],
      ['state.sqlite', async () => keep(openSqliteDeliveries(folder))],
      ...(['records.sqlite', 'history.sqlite'] as const).flatMap((file): typeof openings => [
        [file, async () => keep(openSqliteViewWriter({ folder, file }))],
        [file, () => keep(openSqliteViewReader({ folder, file })).position('runs')],
      ]),
    ];
    for (const [name, open] of openings) {
      const file = join(folder, name);
      inFile(name, (database) => database.exec('PRAGMA user_version = 7'));
      const before = await readFile(file);
      for (const each of [open, async () => refuseNewerFiles(folder)]) {
        const error = await each().then(
          () => expect.fail(`${name} opened`),
          (reason: unknown) => reason as Error,
        );
        expect(error.message)
          .to.include(`the file ${file} was written by a newer testledger`)
          .and.include('schema version 7')
          .and.include(`(testledger ${program}) reads schema versions up to 1`);
      }
      expect((await readFile(file)).equals(before), `${name} is unchanged`).to.equal(true);
      await rm(file);
    }
  });

  it('is raised by migrations: in order, each once, by a connection that writes; one that fails changes nothing', () => {
    const first = 'CREATE TABLE a (n INTEGER NOT NULL); INSERT INTO a (n) VALUES (1)';
    const second = 'ALTER TABLE a ADD COLUMN m INTEGER NOT NULL DEFAULT 0; UPDATE a SET n = n + 1';
    const broken = 'CREATE TABLE b (n INTEGER); INSERT INTO nowhere (n) VALUES (1)';
    const file = join(folder, 'a.sqlite');
    const open = (migrations: readonly string[], readonly = false) =>
      openDatabase(file, { synchronous: 'FULL', busyTimeoutMs: 1_000, migrations, readonly });
    const rows = (database: Database.Database) => database.prepare('SELECT * FROM a').raw().all([]);

    open([first]).close();
    expect(rows(open([first, second], true))).to.deep.equal([[1]]);
    expect(() => open([first, second, broken])).to.throw(
      new RegExp(`the file ${file} cannot be migrated: .*nowhere`),
    );
    expect(versionOf('a.sqlite')).to.equal(1);
    const again = open([first]);
    expect(rows(again)).to.deep.equal([[1]]);
    expect(again.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'b'`).get([])).to.equal(undefined);
    for (const connection of [open([first, second]), open([first, second])])
      expect(rows(connection)).to.deep.equal([[2, 0]]);
    expect(versionOf('a.sqlite')).to.equal(2);
  });
});
