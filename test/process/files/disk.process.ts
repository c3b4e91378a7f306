import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteLog } from '../../../src/adapters/sqlite/log/log.js';
import { START, type RecordedEvent } from '../../../src/domain/event.js';
import { readToEnd } from '../../contract/event-log/events.js';
import type { Answer, Api } from '../../kit/client.js';
import { givenProject, givenResult, givenRun } from '../../http/given.js';
import { servers } from '../../kit/process.js';
import { listed, see } from '../kill/random-writer.js';

/** KiB a file may have: more than the write-ahead log of the read models needs, and soon too little for the log. */
const SMALL = 8_000;
const WRITERS = 8;

describe('the process: its disk', () => {
  const given = servers();

  it('when full, refuses writes with 503, a code and Retry-After, goes on reading, and loses no answered write', async () => {
    const server = await given.start({ fileLimit: SMALL });
    const { owner } = server;
    const { project, run, results } = await withResults(owner);
    const refused = await fillDisk(owner, results);
    // A small event may still fit where a large one does not: small ones follow until one is refused.
    const late = (n: number) =>
      [
        path,
        { project_id: project, test_run_id: run, test_name: `late ${n}`, status: 'Passed' },
        { 'Idempotency-Key': `late-${n}` },
      ] as const;
    let last = 0;
    for (; refused.length === WRITERS; last += 1) {
      const answer = await owner.post(...late(last + 1));
      if (answer.status === 200) results.push({ record: answer.body });
      else refused.push(answer);
    }
    for (const { status, headers, body } of refused) {
      expect(status).to.equal(503);
      expect(body).to.include({ status: 503, code: 'log_unavailable' });
      expect(body.detail).to.match(/disk is full/);
      expect(Number(headers.get('Retry-After'))).to.be.greaterThan(0);
    }
    const records = results.map(({ record }) => record);
    const all = `${path}?test_run_id=${run}`;
    // The read models are on the same disk, so they may be behind: `get` would wait for them.
    for (const { record } of results.slice(0, WRITERS)) {
      const { status, body } = await owner.send({ method: 'GET', path: `${path}${idOf(record)}` });
      expect([status, body.test_name]).to.deep.equal([200, record.test_name]);
    }

    await server.kill();
    const again = await given.start();
    for (const record of records) {
      expect(await see(again.owner, { kind: 'result', id: idOf(record) })).to.deep.equal(record);
    }
    expect(await listed(again.owner, all)).to.deep.equal(records);
    const { status, body } = await again.owner.post(...late(last));
    expect(status).to.equal(200);
    expect((await again.owner.post(...late(last))).body).to.deep.equal(body);
    expect(await listed(again.owner, all)).to.deep.equal([...records, body]);
  });

  it('when full, writes again without a restart as soon as there is room', async () => {
    const server = await given.start({ fileLimit: SMALL });
    const { results } = await withResults(server.owner);
    await fillDisk(server.owner, results);
    spawnSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited:unlimited']);
    for (const result of results) {
      const { status, body, text } = await server.owner.post(`/v1/test/result/${idOf(result.record)}/start`);
      expect(status, text).to.equal(200);
      expect(await see(server.owner, { kind: 'result', id: idOf(body) })).to.deep.equal(body);
    }
    const { code } = await server.stop();
    expect(code).to.equal(0);
  });

  it('when full, does not keep SIGTERM from ending it with 0', async () => {
    const server = await given.start({ fileLimit: SMALL });
    const { results } = await withResults(server.owner);
    await fillDisk(server.owner, results);
    const { code, afterMs } = await server.stop();
    expect(code).to.equal(0);
    expect(afterMs).to.be.below(10_000);
  });

  for (const [name, hint] of [
    ['events.sqlite', /damaged or is not a SQLite database/],
    ['state.sqlite', /is damaged. .*restore it from the backup/],
  ] as const) {
    it(`with ${name} damaged, makes the start fail with a message that names the file, and leaves every event`, async () => {
      const server = await given.start();
      await withResults(server.owner);
      await server.stop();
      const file = join(given.folder, name);
      const isLog = name === 'events.sqlite';
      const events = isLog ? [] : await eventsIn(given.folder);
      await overwriteHeader(file);
      const before = await readFile(file);

      const program = given.launch();
      expect((await program.ended).code).to.equal(1);
      expect(program.stderr()).to.match(/^testledger cannot start: /);
      expect(program.stderr()).to.include(file).and.match(hint);
      expect(await readFile(file)).to.deep.equal(before);
      if (isLog) return;
      expect(events).to.not.have.length(0);
      expect(await eventsIn(given.folder)).to.deep.equal(events);
    });
  }
});

const path = '/v1/test/result/';

type Known = { record: any };

async function withResults(owner: Api): Promise<{ project: string; run: string; results: Known[] }> {
  const project = await givenProject(owner);
  const run = (await givenRun(owner, project)).test_run_id as string;
  const results: Known[] = [];
  for (let n = 0; n < WRITERS; n += 1) {
    results.push({ record: await givenResult(owner, project, { test_run_id: run, test_name: `test ${n}` }) });
  }
  return { project, run, results };
}

/** Updates the results until the server has refused each, and keeps the last answered record. Returns the refusals. */
async function fillDisk(owner: Api, results: readonly Known[]): Promise<Answer[]> {
  return Promise.all(
    results.map(async (result, writer) => {
      for (let n = 0; ; n += 1) {
        // Neither alike nor long enough for the log to store less of it than the read models do.
        const text = () => randomBytes(1_700).toString('hex');
        const metadata = { write: `${writer} ${n}`, log: text(), out: text(), trace: text() };
        const answer = await owner.post(`/v1/test/result/${idOf(result.record)}`, { metadata });
        if (answer.status !== 200) return answer;
        result.record = answer.body;
      }
    }),
  );
}

function idOf(record: any): string {
  return record.test_result_id as string;
}

async function overwriteHeader(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(100, 0x5a), 0, 100, 0);
  await handle.close();
}

/** Not the bytes of its file: a start may move what the last process left in the write-ahead log. */
async function eventsIn(folder: string): Promise<RecordedEvent[]> {
  const log = await openSqliteLog({ folder, mode: 'reader' });
  const { events } = await readToEnd(log, { after: START });
  await log.close();
  return events;
}
