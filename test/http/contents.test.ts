import { expect } from 'chai';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { textIn } from '../../src/adapters/sqlite/contents/table.js';
import { ownServer } from '../kit/server.js';
import { bodyOf, givenProject, givenResult, givenSubmission, givenTeam } from './given.js';

const CANARY = 'canary-4711';
const error = { type: 'CanaryError', message: `${CANARY} declined`, stack: `at pay (${CANARY}.ts:1:2)` };
const metadata = { browser: CANARY, file: 'pay.test.ts', error, worker: 7, owner: 'ada' };

describe('the contents of results', () => {
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  /** A result of each kind: posted, changed, and one of a submission. */
  async function everyKind() {
    const posted = await givenResult(team.owner, project, { status: 'Failed', metadata });
    const changed = await givenResult(team.owner, project, { status: 'Running' });
    const path = `/v1/test/result/${changed.test_result_id}`;
    const finished = await team.owner.post(path, { status: 'Failed', error_message: CANARY, metadata });
    expect(finished.status).to.equal(200);
    const item = { name: 'pays', status: 'failed', error_message: `${CANARY} declined`, metadata };
    const { run, results } = await givenSubmission(team.owner, project, [
      item,
      { ...item, name: 'pays twice' },
    ]);
    return { posted: posted.test_result_id, changed: changed.test_result_id, run, submitted: results[0]! };
  }

  it('are shown as they were sent by reads, lists, histories and the replay', async () => {
    const { posted, changed, run, submitted } = await everyKind();
    for (const id of [posted, changed, submitted]) {
      const { data } = await bodyOf(team.owner, `/v1/test-results/${id}`);
      expect(data).to.deep.include({ metadata, contents: 'kept' });
      expect(JSON.stringify(data.metadata)).to.equal(JSON.stringify(metadata));
      expect(data.group.title).to.contain(CANARY);
      const record = await bodyOf(team.owner, `/v1/test/result/${id}`);
      expect(record.metadata).to.deep.equal(metadata);
    }
    const { data: listed } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(listed.map((each: any) => each.error_message)).to.deep.equal(Array(2).fill(`${CANARY} declined`));
    const { data: groups } = await bodyOf(team.owner, `/v1/test-runs/${run}/failures`);
    expect(groups[0].title).to.contain(CANARY);
    const { data: events } = await bodyOf(
      team.owner,
      '/v1/events?types=ResultCreated,ResultUpdated,ResultSubmitted',
    );
    const ofProject = events.filter((event: any) => event.data.project_id === project && event.data.metadata);
    expect(ofProject).to.have.length(4);
    for (const { data } of ofProject) {
      expect(JSON.stringify(data.metadata)).to.equal(JSON.stringify(metadata));
      expect(data).not.to.have.property('contents');
    }
    const { data: history } = await bodyOf(team.owner, `/v1/test-results/${changed}/history`);
    expect(JSON.stringify(history)).to.contain(CANARY);
  });

  it('are null for a result that never had any', async () => {
    const { test_result_id } = await givenResult(team.owner, project, {
      metadata: { file: 'a.ts', tags: ['slow'] },
    });
    const { data } = await bodyOf(team.owner, `/v1/test-results/${test_result_id}`);
    expect(data).to.deep.include({ contents: null, metadata: { file: 'a.ts', tags: ['slow'] } });
  });

  it('are the same for a shard that comes again, in whatever order its names come', async () => {
    const results = [{ name: 'pays', status: 'failed', error_message: CANARY, metadata }];
    const shard = { index: 1, total: 1 };
    const call = (items: object[]) =>
      team.owner.post('/v1/test-runs', { project_id: project, run_key: 'again', shard, results: items });
    const first = await call(results);
    const turned = Object.fromEntries(Object.entries(metadata).toReversed());
    const again = await call([{ ...results[0], metadata: turned }]);
    expect([first.status, again.status]).to.deep.equal([201, 200]);
    const other = await call([{ ...results[0], error_message: 'another' }]);
    expect(other.status).to.equal(409);
  });

  it('are in the store of contents only: neither in events nor in the read models', async () => {
    await everyKind();
    await server.stop();
    try {
      const folder = server.config.dataDir;
      for (const file of (await readdir(folder)).filter((name) => /^(?:records|history)\.sqlite/.test(name)))
        expect((await readFile(join(folder, file))).includes(CANARY), file).to.equal(false);
      const database = openDatabase(join(folder, 'events.sqlite'), {
        readonly: true,
        synchronous: 'FULL',
        busyTimeoutMs: 1_000,
      });
      const rows = database.prepare('SELECT meta, data FROM events').raw().all([]) as [
        string,
        string | Uint8Array,
      ][];
      for (const [meta, data] of rows) expect(meta + textIn(data)).not.to.contain(CANARY);
      const bodies = database.prepare('SELECT body FROM contents').raw().all([]) as [string | Uint8Array][];
      expect(bodies.filter(([body]) => textIn(body).includes(CANARY))).not.to.deep.equal([]);
      database.close();
    } finally {
      await server.start();
    }
  });

  it('of a deleted result are shown nowhere from the answer on, in no earlier version', async () => {
    const { posted, changed, run, submitted } = await everyKind();
    for (const id of [posted, changed, submitted])
      expect((await team.owner.delete(`/v1/test/result/${id}`)).status).to.equal(200);
    const { data: events } = await bodyOf(
      team.owner,
      '/v1/events?types=ResultCreated,ResultFinished,ResultUpdated,ResultSubmitted',
    );
    const own = events.filter(({ data }: any) => [posted, changed, submitted].includes(data.result_id));
    expect(JSON.stringify(own)).not.to.contain(CANARY);
    const gone = own.filter(({ data }: any) => data.contents === 'deleted');
    expect(gone.map(({ type }: any) => type)).to.have.members([
      'ResultCreated',
      'ResultUpdated',
      'ResultSubmitted',
    ]);
    for (const { data } of gone)
      expect(data.metadata).to.deep.equal({ file: metadata.file, owner: metadata.owner });
    const history = await team.owner.get(`/v1/test-results/${changed}/history`);
    expect(JSON.stringify(history.body)).not.to.contain(CANARY);
    // Another result has the same contents, and keeps them.
    const { data: left } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(left.map(({ contents, error_message }: any) => [contents, error_message])).to.deep.equal([
      ['kept', `${CANARY} declined`],
    ]);
  });

  it('of a deleted result without a run are removed, unless another one has them', async () => {
    const only = `only in one ${project}`;
    const { test_result_id: id } = await givenResult(team.owner, project, { metadata: { note: only } });
    await team.owner.delete(`/v1/test/result/${id}`);
    await server.stop();
    try {
      const held = await server.stores(({ contents }) => contents.held('', 10_000));
      expect(held.map(({ holder }) => holder)).not.to.include(id);
      expect((await readFile(join(server.config.dataDir, 'events.sqlite'))).includes(only)).to.equal(false);
    } finally {
      await server.start();
    }
  });

  it('of 5,000 equal failures are stored once, with the title of their group', async () => {
    const items = Array.from({ length: 5_000 }, (_, n) => ({
      name: `test ${n}`,
      status: 'failed',
      error_message: `declined by ${project}`,
      metadata: { error: { message: `declined by ${project}`, stack: 'at pay' } },
    }));
    const { run } = await givenSubmission(team.owner, project, items);
    await server.stop();
    try {
      const held = await server.stores(({ contents }) => contents.held('', 10_000));
      expect(held.find(({ holder }) => holder === run)!.hashes).to.have.length(2);
    } finally {
      await server.start();
    }
  });
});
