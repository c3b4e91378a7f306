import { expect } from 'chai';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { openSqliteContents } from '../../src/adapters/sqlite/contents/contents.js';
import { logFile, logStore } from '../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { START, streamName } from '../../src/domain/event.js';
import { contentOf } from '../contract/contents/contract.js';
import { newEvents, newTeam } from '../contract/event-log/events.js';
import { servers, until } from '../kit/process.js';
import { allEvents, headOf } from './logs.js';
import { answerOf } from './answers.js';

describe('testledger copy-log', () => {
  const given = servers();
  const at = (name: string) => join(given.folder, name);
  const launch = () =>
    given.cli(['copy-log', '--json', '--from', `file:${at('source')}`, '--to', `file:${at('target')}`]);
  const copy = () => answerOf(launch());

  it('keeps the ids, the order, the times, the content and, between files, the positions', async () => {
    await writeEvents(at('source'), 3_000);
    const { code, document, stderr } = await copy();
    expect(code, stderr).to.equal(0);
    expect(document).to.include({ events: 3_000, copied: 3_000, verified: true });
    expect(await allEvents(at('target'))).to.deep.equal(await allEvents(at('source')));

    const again = await copy();
    expect(again.document).to.include({ events: 3_000, copied: 0, verified: true });
  });

  it('brings the contents that events name, with their holders and the marks of results', async () => {
    await writeEvents(at('source'), 1);
    const open = (name: string) => openSqliteContents(logStore(logFile(at(name))));
    const source = open('source');
    const content = contentOf('"a stack"');
    await source.keep({ holder: 'run_1', project: 'project_1' }, [content]);
    await source.keep({ holder: 'result_2', project: 'project_2' }, [content]);
    await source.mark(['result_2'], 'deleted');
    await source.close();
    expect((await copy()).document).to.include({ contents: 2 });
    const target = open('target');
    expect(await target.held('', 10)).to.deep.equal([
      { holder: 'result_2', project: 'project_2', hashes: [content.hash] },
      { holder: 'run_1', project: 'project_1', hashes: [content.hash] },
    ]);
    expect((await target.read([content.hash])).get(content.hash)).to.equal(content.text);
    expect(await target.marks('', 10)).to.deep.equal([{ id: 'result_2', reason: 'deleted' }]);
    await target.close();
  });

  it('goes on behind the last event after a kill -9, and copies later events when it runs again', async () => {
    await writeEvents(at('source'), 40_000);
    // Again where the copy ended before the kill: this process may be held up for as long.
    let copied = 40_000;
    while (copied === 40_000) {
      await rm(at('target'), { recursive: true, force: true });
      const first = launch();
      await until('some events to be copied', async () => (await headOf(at('target'))) !== START);
      first.signal('SIGKILL');
      await first.ended;
      copied = (await allEvents(at('target'))).length;
    }

    const second = await copy();
    expect(second.code, second.stderr).to.equal(0);
    expect(second.document['events']).to.equal(40_000);
    expect(second.document['copied']).to.equal(40_000 - copied);

    await writeEvents(at('source'), 500);
    expect((await copy()).document).to.include({ events: 40_500, copied: 500 });
    expect(await allEvents(at('target'))).to.deep.equal(await allEvents(at('source')));
  });

  it('finds an event that was changed in the target, ends with 1 and changes nothing', async () => {
    await writeEvents(at('source'), 2_000);
    expect((await copy()).code).to.equal(0);
    change(
      at('target'),
      'UPDATE events SET data = (SELECT data FROM events WHERE position = 1499) WHERE position = 1500',
    );
    const { code, document, stderr } = await copy();
    expect(code).to.equal(1);
    expect(document).to.have.nested.property('error.code', 'copy_differs');
    expect(document).to.have.nested.property('error.difference.equal', 1_499);
    expect(stderr).to.include('after 1499 equal events').and.include('has another data in the target');
    expect(await allEvents(at('target'))).to.have.length(2_000);
  });

  it('refuses a target that has events of its own', async () => {
    await writeEvents(at('source'), 20);
    await writeEvents(at('target'), 30);
    const { code, document } = await copy();
    expect(code).to.equal(1);
    expect(document).to.have.nested.property('error.code', 'copy_differs');
    expect(await allEvents(at('target'))).to.have.length(30);
  });

  it('refuses a source without a log, one log as both, a wrong URL, and a target with a running server', async () => {
    const refused = async (from: string, to: string) => {
      const { code, document, stderr } = await answerOf(
        given.cli(['copy-log', '--json', '--from', from, '--to', to]),
      );
      return { code, stderr, error: (document['error'] as { code: string }).code };
    };
    const nowhere = await refused(`file:${at('none')}`, `file:${at('target')}`);
    expect(nowhere).to.include({ code: 1, error: 'command_failed' });
    expect(nowhere.stderr).to.include('there is no log in');
    await writeEvents(at('source'), 5);
    expect((await refused(`file:${at('source')}`, `file:${at('source')}/`)).stderr).to.include(
      'the same log',
    );
    expect((await refused(`ftp://x`, `file:${at('target')}`)).stderr).to.include('must be file:<folder> or');
    await given.start({ env: { DATA_DIR: at('target') } });
    const running = await refused(`file:${at('source')}`, `file:${at('target')}`);
    expect(running).to.include({ code: 1, error: 'folder_in_use' });
  });
});

/** Appends events to several streams by turns, so that a copy has to change streams. */
async function writeEvents(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const log = await openSqliteLog({ folder, mode: 'writer' });
  const team = newTeam();
  try {
    const calls: Promise<unknown>[] = [];
    for (let at = 0; at < count; at += 5) {
      const stream = streamName('result', team, `result_${at % 35}`);
      calls.push(log.append(stream, 'any', newEvents(Math.min(5, count - at))));
    }
    await Promise.all(calls);
  } finally {
    await log.close();
  }
}

function change(folder: string, statement: string): void {
  const database = openDatabase(logFile(folder), { synchronous: 'FULL', busyTimeoutMs: 0 });
  database.exec(statement);
  database.close();
}
