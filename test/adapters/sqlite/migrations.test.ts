import { expect } from 'chai';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openLocalBus } from '../../../src/adapters/sqlite/bus.js';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/adapters/sqlite/database.js';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { openSqliteState } from '../../../src/adapters/sqlite/state/state.js';
import { openSqliteViewReader } from '../../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../../src/adapters/sqlite/views/writer.js';
import { ALL_PARTITIONS } from '../../../src/domain/partition.js';
import { START } from '../../../src/domain/event.js';
import { version as program } from '../../../src/version.js';
import { at, delivery, document, eventId, message } from './unversioned-files.js';
import { position, runsSpec, stream, writeUnversionedFiles } from './unversioned-files.js';

const LAST_VERSIONS: Readonly<Record<string, number>> = {
  'events.sqlite': 3,
  'state.sqlite': 2,
  'views.sqlite': 5,
  'publication.sqlite': 5,
  'bus.sqlite': 1,
};

const byName = {
  where: { project_id: 'project_1' },
  sort: { field: 'name', direction: 'ascending' },
} as const;

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
  /** Tables, indexes and triggers, without regard to line breaks. */
  const layoutOf = (name: string): string[] =>
    inFile(name, (database) =>
      (database.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL').raw().all([]) as [string][])
        .map(([sql]) => sql.replaceAll(/\s+/g, ' '))
        .sort(),
    );
  const openLog = async () => keep(await openSqliteLog({ folder, mode: 'writer' }));
  const openState = async () => keep(openSqliteState({ folder, thread: false }));
  const openDeliveries = async () => keep(openSqliteDeliveries(folder));
  const openViews = async (file: 'views.sqlite' | 'publication.sqlite') =>
    keep(openSqliteViewWriter({ folder, file }));
  const openBus = async () => keep(await openLocalBus({ folder }));

  describe('in a file that an unversioned program wrote', () => {
    beforeEach(() => writeUnversionedFiles(folder));

    it('events.sqlite opens with its events, takes another, and gets version 3', async () => {
      const log = await openLog();
      const [event] = (await log.readStream(stream)).events;
      expect(event).to.include({ id: eventId, type: 'RunCreated', revision: 0, position });
      expect(event?.data).to.deep.equal({ name: 'Nightly' });
      const second = { id: eventId.replace(/1$/, '2'), type: 'RunCompleted', version: 1, data: {} };
      const appended = await log.append(stream, 0, [{ ...second, meta: { at, actor: 'key_1' } as never }]);
      expect(appended).to.deep.equal({ revision: 1, position: '00000000000000000002' });
      expect(versionOf('events.sqlite')).to.equal(3);
    });

    it('state.sqlite opens with its entries, counts their versions on, and gets version 2', async () => {
      const state = await openState();
      expect(await state.get('rebuild', 'runs')).to.deep.equal({
        key: 'runs',
        value: { asked: true },
        version: 7,
      });
      expect(await state.put('rebuild', 'tests', {}, { expected: 'absent' })).to.equal(8);
      expect(versionOf('state.sqlite')).to.equal(2);
    });

    it('state.sqlite opens with its deliveries, without their bodies, which can change, and gets version 2', async () => {
      const deliveries = await openDeliveries();
      expect(await deliveries.get('delivery_1')).to.deep.equal({ delivery, version: 1 });
      expect(await deliveries.pending()).to.equal(1);
      const delivered = { ...delivery, state: 'delivered', next_attempt_at: null } as const;
      expect(await deliveries.put(delivered, 1, at)).to.equal(true);
      expect(await deliveries.pending()).to.equal(0);
      const another = { ...delivery, id: 'delivery_2', event_id: 'event_2' };
      expect(await deliveries.add([another])).to.equal(1);
      expect(await deliveries.get('delivery_2')).to.deep.equal({ delivery: another, version: 1 });
      expect(versionOf('state.sqlite')).to.equal(2);
    });

    for (const file of ['views.sqlite', 'publication.sqlite'] as const) {
      it(`${file} opens with its documents and totals, takes another, and gets version 5`, async () => {
        const reader = keep(openSqliteViewReader({ folder, file }));
        expect(await reader.position('runs')).to.equal(START, 'before the writer has migrated the file');
        const writer = await openViews(file);
        const checkpoints = [{ partitions: ALL_PARTITIONS, position, epoch: 1 }];
        expect(await writer.builds('runs')).to.deep.equal([
          { build: 1, version: 3, live: true, checkpoints, position, epoch: 1, lastEvent: null },
        ]);
        await writer.prepare(runsSpec, 1);
        const next = { position: '00000000000000000002', project_id: 'project_1', name: 'Weekly' };
        await writer.commit(runsSpec, {
          build: 1,
          epoch: 1,
          from: position,
          to: next.position,
          changes: [{ collection: 'runs', id: 'run_2', before: null, after: next }],
        });
        expect(await reader.get(runsSpec, 'runs', ['run_1'])).to.deep.equal([document]);
        const found = await reader.find(runsSpec, 'runs', { ...byName, limit: 10, total: true });
        expect(found).to.deep.equal({ items: [document, next], next: null, total: 2 });
        expect(versionOf(file)).to.equal(5);
      });
    }

    it('bus.sqlite opens with its messages, takes another, and gets version 1', async () => {
      const bus = await openBus();
      expect(await bus.last()).to.equal(message.place);
      const second = { ...message, place: '00000000000000000002#0' };
      await bus.publish([second]);
      const stop = new AbortController();
      for await (const batch of bus.consume({ limit: 10, signal: stop.signal })) {
        expect(batch.messages).to.deep.equal([message, second]);
        stop.abort();
      }
      expect(versionOf('bus.sqlite')).to.equal(1);
    });

    it('every file gets the layout and the version of a file in a new folder', async () => {
      const openAll = async () => {
        await openLog();
        await openState();
        await openDeliveries();
        for (const file of ['views.sqlite', 'publication.sqlite'] as const)
          await (await openViews(file)).prepare(runsSpec, 1);
        await openBus();
        for (const each of opened.splice(0).toReversed()) await each.close();
        return Object.keys(LAST_VERSIONS).map((name) => [name, versionOf(name), layoutOf(name)]);
      };
      const migrated = await openAll();
      await rm(folder, { recursive: true });
      await mkdir(folder);
      expect(migrated).to.deep.equal(await openAll());
      expect(Object.fromEntries(migrated.map(([name, version]) => [name, version]))).to.deep.equal(
        LAST_VERSIONS,
      );
    });
  });

  describe('of a newer program', () => {
    const readPublication = () =>
      keep(openSqliteViewReader({ folder, file: 'publication.sqlite' })).position('runs');
    const openings: [file: string, who: string, open: () => Promise<unknown>][] = [
      ['events.sqlite', 'the writer', openLog],
      ['events.sqlite', 'a reader', async () => keep(await openSqliteLog({ folder, mode: 'reader' }))],
      ['state.sqlite', 'the state', openState],
      ['state.sqlite', 'the deliveries', openDeliveries],
      ['views.sqlite', 'the writer', () => openViews('views.sqlite')],
      ['views.sqlite', 'a reader', () => keep(openSqliteViewReader({ folder })).position('runs')],
      ['publication.sqlite', 'the writer', () => openViews('publication.sqlite')],
      ['publication.sqlite', 'a reader', readPublication],
      ['bus.sqlite', 'the bus', openBus],
    ];
    for (const [file, who, open] of openings) {
      it(`makes ${who} refuse ${file} with a message that names both versions, and the file stays as it is`, async () => {
        writeUnversionedFiles(folder);
        // Not in WAL mode: a connection that enters it would change the file.
        inFile(file, (database) => database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 7'));
        const before = await readFile(join(folder, file));
        const error = await open().then(
          () => expect.fail('it opened'),
          (reason: unknown) => reason as Error,
        );
        expect(error.message)
          .to.include(`the file ${join(folder, file)} was written by a newer testledger`)
          .and.include('schema version 7')
          .and.include(`(testledger ${program}) reads schema versions up to ${LAST_VERSIONS[file]}`);
        expect((await readFile(join(folder, file))).equals(before), 'the file is unchanged').to.equal(true);
      });
    }
  });

  describe('is raised by migrations that', () => {
    const first = 'CREATE TABLE a (n INTEGER NOT NULL); INSERT INTO a (n) VALUES (1)';
    const second = 'ALTER TABLE a ADD COLUMN m INTEGER NOT NULL DEFAULT 0; UPDATE a SET n = n + 1';
    const open = (migrations: readonly string[], more: Partial<OpenDatabaseOptions> = {}) =>
      openDatabase(join(folder, 'a.sqlite'), {
        synchronous: 'FULL',
        busyTimeoutMs: 1_000,
        migrations,
        ...more,
      });
    const rows = (database: Database.Database) => database.prepare('SELECT * FROM a').raw().all([]);

    it('run in order, each once, whichever connection comes first', () => {
      open([first]).close();
      const [one, other] = [open([first, second]), open([first, second])];
      expect(rows(one)).to.deep.equal([[2, 0]]);
      expect(rows(other)).to.deep.equal([[2, 0]]);
      expect(versionOf('a.sqlite')).to.equal(2);
    });

    it('leave the old version and every row in place when one of them fails half-way', () => {
      open([first]).close();
      const broken = 'CREATE TABLE b (n INTEGER); INSERT INTO nowhere (n) VALUES (1)';
      expect(() => open([first, second, broken])).to.throw(
        new RegExp(`the file ${join(folder, 'a.sqlite')} cannot be migrated: .*nowhere`),
      );
      expect(versionOf('a.sqlite')).to.equal(1);
      const again = open([first]);
      expect(rows(again)).to.deep.equal([[1]]);
      expect(again.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'b'`).get([])).to.equal(undefined);
      expect(rows(open([first, second]))).to.deep.equal([[2, 0]]);
    });

    it('are left to the connection that writes', () => {
      open([first]).close();
      const reader = open([first, second], { readonly: true });
      expect(rows(reader)).to.deep.equal([[1]]);
      expect(versionOf('a.sqlite')).to.equal(1);
    });
  });
});
