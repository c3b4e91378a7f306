import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { BroadcastChannel } from 'node:worker_threads';
import { appender } from '../../../src/adapters/sqlite/log/append.js';
import { logReader, type LogReader } from '../../../src/adapters/sqlite/log/read.js';
import { logFile, prepareLogFile } from '../../../src/adapters/sqlite/log/file.js';
import {
  FIRST_EVENT_AT,
  toAppendCall,
  VALUES_PER_EVENT,
} from '../../../src/adapters/sqlite/log/append-call.js';
import { openAppends, type Appends } from '../../../src/adapters/sqlite/log/appends.js';
import { logChannel } from '../../../src/adapters/sqlite/channels.js';
import { isFull, openDatabase, type SqliteDatabase } from '../../../src/adapters/sqlite/database.js';
import { START } from '../../../src/domain/event.js';
import { openWatermarks } from '../../../src/adapters/sqlite/log/watermarks.js';
import { newEvent, newEvents, refusal, until } from '../../contract/event-log/events.js';
import { temporaryFolder, breakWriter } from './log.folder.js';

describe('the event log: SQLite, a transaction that fails', () => {
  const folder = temporaryFolder();
  let database: SqliteDatabase;
  let append: ReturnType<typeof appender>;
  let reader: LogReader;
  beforeEach(() => {
    const file = logFile(folder.path);
    prepareLogFile(file);
    database = openDatabase(file, { synchronous: 'FULL', busyTimeoutMs: 0 });
    append = appender(database);
    reader = logReader(database, file);
  });
  afterEach(() => database.close());
  const small = (team: string) => toAppendCall(`run-${team}.run_1`, 'none', newEvents(2));

  it('for lack of space leaves nothing of any call, nor of a new team', () => {
    append([small('known')]);
    const [{ page_count }] = database.pragma('page_count') as [{ page_count: number }];
    database.exec(`PRAGMA max_page_count = ${page_count + 10}`);
    const group = [
      small('new'),
      toAppendCall('run-big.run_1', 'none', [newEvent(randomBytes(450_000).toString('hex'))]),
    ];
    let error: unknown;
    try {
      append(group);
    } catch (thrown) {
      error = thrown;
    }
    expect(isFull(error)).to.equal(true);
    expect(reader.head(undefined)).to.match(/0002$/);
    expect(reader.head('new')).to.equal(START);

    database.exec('PRAGMA max_page_count = 10000');
    expect(append([small('other'), ...group])).to.deep.equal([
      [1, 4],
      [1, 6],
      [0, 7],
    ]);
    expect(['other', 'new', 'big'].map((team) => Number(reader.head(team)))).to.deep.equal([4, 6, 7]);
  });

  it('halfway through leaves nothing, and the next append succeeds', () => {
    const broken = toAppendCall('run-broken.run_1', 'none', newEvents(2));
    // The type of the second event, of which SQLite wants a text.
    broken[FIRST_EVENT_AT + VALUES_PER_EVENT + 1] = null as unknown as string;
    expect(() => append([small('whole'), broken])).to.throw('NOT NULL');
    expect(reader.head(undefined)).to.equal(START);
    expect(append([small('whole')])).to.deep.equal([[1, 2]]);
  });
});

describe('the event log: SQLite, the writer thread', () => {
  const folder = temporaryFolder();

  it('writes everything that came in one turn with one commit, and notifies followers once', async () => {
    const appends = opened();
    let notices = 0;
    const followers = new BroadcastChannel(logChannel(folder.path));
    followers.onmessage = () => (notices += 1);
    const calls = newEvents(500).map((event) => appends.append('run-a.run_1', 'any', [event]));
    expect((await Promise.all(calls)).at(-1)?.revision).to.equal(499);
    await until('the notice to the followers', () => notices > 0);
    await appends.close();
    followers.close();
    expect(notices).to.equal(1);
  });

  it('notifies followers when it dies, because its last commit may be one without an answer', async () => {
    let lost = 0;
    const appends = opened({ onLost: () => (lost += 1) });
    await appends.append('run-a.run_1', 'none', newEvents(1));
    breakWriter();
    await until('the report of the loss', () => lost === 1);
    expect((await appends.append('run-a.run_1', 0, newEvents(1))).revision).to.equal(1);
    await appends.close();
    expect(lost).to.equal(1);
  });

  it('writes an append only once its watermark shows that it is under way, and answers it after its end', async () => {
    const calls: string[] = [];
    const watermarks = {
      begin: (stream: string) => void calls.push(`begin ${stream}`),
      end: (stream: string, row: number | null) => void calls.push(`end ${stream} ${row}`),
    };
    const appends = opened({ watermarks });
    await appends.append('run-a.run_1', 'none', newEvents(1)).then(() => calls.push('answered'));
    expect(calls.splice(0)).to.deep.equal(['begin run-a.run_1', 'end run-a.run_1 1', 'answered']);
    await refusal(appends.append('run-a.run_1', 7, newEvents(1)), 'wrong_revision');
    expect(calls.splice(0)).to.deep.equal(['begin run-a.run_1', 'end run-a.run_1 0']);
    breakWriter();
    await refusal(appends.append('run-a.run_1', 0, newEvents(1)), 'log_unavailable');
    expect(calls.splice(0)).to.deep.equal(['begin run-a.run_1', 'end run-a.run_1 null']);
    await appends.close();
  });

  function opened({
    onLost = () => {},
    watermarks = openWatermarks(() => 0),
  }: Partial<Opening> = {}): Appends {
    const file = logFile(folder.path);
    prepareLogFile(file);
    return openAppends(file, onLost, watermarks);
  }
});

type Opening = { onLost: () => void; watermarks: Parameters<typeof openAppends>[2] };
