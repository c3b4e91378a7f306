import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteContents } from '../../../src/adapters/sqlite/contents/contents.js';
import { logFile, logStore } from '../../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { prepareStateFile, stateStore } from '../../../src/adapters/sqlite/state/store.js';
import type { Contents } from '../../../src/ports/contents.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { contentOf, contentsContract } from '../../contract/contents/contract.js';
import { newEvent } from '../../contract/event-log/events.js';
import { eventually } from '../../stores.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-contents-'));

/** Of all files of a store. */
async function bytesOn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

contentsContract('SQLite', async () => {
  const folder = await emptyFolder();
  const store = stateStore(folder);
  prepareStateFile(store);
  return { open: () => openSqliteContents(store), remove: () => rm(folder, { recursive: true }) };
});

describe('the contents in the file of the log', () => {
  let folder: string;
  let log: EventLog;
  let contents: Contents;
  beforeEach(async () => {
    folder = await emptyFolder();
    log = await openSqliteLog({ folder, mode: 'writer' });
    contents = openSqliteContents(logStore(logFile(folder)));
  });
  afterEach(async () => {
    await contents.close();
    await log.close();
    await rm(folder, { recursive: true });
  });

  const canary = contentOf('"canary"');
  const naming = (holder: string, ...kept: ReturnType<typeof contentOf>[]) => ({
    ...newEvent(),
    contents: { holder, project: 'project_1', kept },
  });

  it('are stored with the append that brings them, or not at all', async () => {
    await log.append('run-team_1.run_1', 'none', [naming('run_1', canary), newEvent()]);
    expect([...(await contents.read([canary.hash])).values()]).to.deep.equal([canary.text]);
    const refused = contentOf('"refused"');
    await log.append('run-team_1.run_1', 'none', [naming('run_1', refused)]).catch(() => null);
    expect((await contents.read([refused.hash])).size).to.equal(0);
    expect(await contents.held('', 10)).to.deep.equal([
      { holder: 'run_1', project: 'project_1', hashes: [canary.hash] },
    ]);
  });

  it('cost one row where thousands of events name the same one', async () => {
    const one = contentOf(JSON.stringify('equal failures '.repeat(1_000)));
    for (let n = 0; n < 5; n += 1) {
      const events = Array.from({ length: 1_000 }, () => naming('run_1', one));
      await log.append(`run-team_1.run_${n}`, 'none', events);
    }
    expect(await contents.held('', 10)).to.deep.equal([
      { holder: 'run_1', project: 'project_1', hashes: [one.hash] },
    ]);
  });

  it('have the marks of every opening, also after a look that found none in the whole log', async () => {
    const other = openSqliteContents(logStore(logFile(folder)));
    try {
      expect((await contents.marked(['result_1'])).size).to.equal(0);
      await other.mark(['result_1'], 'redacted');
      expect([...(await contents.marked(['result_1', 'result_2']))]).to.deep.equal([
        ['result_1', 'redacted'],
      ]);
    } finally {
      await other.close();
    }
  });

  it('are kept again by an append after they were released', async () => {
    await log.append('run-team_1.run_1', 'none', [naming('run_1', canary)]);
    await contents.release('run_1');
    await log.append('run-team_1.run_1', 0, [naming('run_1', canary)]);
    expect((await contents.read([canary.hash])).size).to.equal(1);
  });

  it('are forgotten from the answer on, also by the opening that remembers what it has read', async () => {
    const remembering = openSqliteContents(logStore(logFile(folder)), { forgetsAlone: true });
    const read = async () => [...(await remembering.read([canary.hash])).values()];
    const marked = async () => [...(await remembering.marked(['result_1', 'result_2']))];
    await log.append('run-team_1.run_1', 'none', [naming('run_1', canary)]);
    expect(await read()).to.deep.equal([canary.text]);
    expect(await marked()).to.deep.equal([]);
    const [released, isMarked] = [remembering.release('run_1'), remembering.mark(['result_2'], 'redacted')];
    // They read while the writes are under way.
    await Promise.all([read(), marked(), released, isMarked]);
    expect(await read()).to.deep.equal([]);
    expect(await marked()).to.deep.equal([['result_2', 'redacted']]);
    await remembering.close();
  });

  it('leave no byte in the file once nobody holds them', async () => {
    await log.append('run-team_1.run_1', 'none', [naming('run_1', canary)]);
    await contents.release('run_1');
    await contents.close();
    await log.close();
    expect((await readFile(logFile(folder))).includes('canary')).to.equal(false);
  });

  it('give their bytes back to the file system while the server runs, also those of the write-ahead log', async () => {
    await log.append('run-team_1.run_1', 'none', [naming('run_1', canary)]);
    const before = await bytesOn(folder);
    const many = Array.from({ length: 40 }, (_, n) =>
      contentOf(`"${n} ${randomBytes(50_000).toString('hex')}"`),
    );
    await contents.keep({ holder: 'run_2', project: 'project_1' }, many);
    expect(await bytesOn(folder)).to.be.above(before + 2_000_000);
    await contents.release('run_2');
    await contents.release('run_1');
    await eventually('the files are small again', async () => (await bytesOn(folder)) < before + 20_000);
    for (const file of await readdir(folder))
      expect((await readFile(join(folder, file))).includes('canary'), file).to.equal(false);
    expect(await contents.held('', 10)).to.deep.equal([]);
    expect((await log.readStream('run-team_1.run_1')).events).to.have.length(1);
  });
});
