import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Answer } from '../../../kit/client.js';
import { givenInactive, givenKey, givenProject, givenTeam } from '../../given.js';
import { eventually } from '../../../stores.js';
import { sendRaw } from '../../protocol/raw.js';
import { idOf } from '../../records.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

const LIMIT = 32 * 1024 * 1024;

describe('surface B: a submission', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project_id: string;
  before(async () => {
    project_id = await givenProject(team.owner);
  });

  type Item = { name: string; status: string; [field: string]: unknown };
  const fine: Item = { name: 'adds up', status: 'passed' };
  const submit = (results: readonly Item[], more: object = {}, headers = {}): Promise<Answer> =>
    team.owner.post('/v1/test-runs', { project_id, results, ...more }, headers);
  async function submitted(results: readonly Item[], more: object = {}): Promise<string> {
    const { status, body, text } = await submit(results, more);
    expect(status, text).to.equal(201);
    expect(body).to.deep.equal({
      data: {
        id: body.data.id,
        status: 'completed',
        test_count: results.length,
        result_id_prefix: `result_${body.data.id.slice('run_'.length)}_`,
      },
    });
    expect(body.data.id).to.match(idOf('run'));
    return body.data.id;
  }
  const runOf = async (id: string) => (await team.owner.get(`/v1/test/run/${id}`)).body;
  /** Repeats a GET, since it waits only 2 s for the read models, which have more to do here. */
  const caughtUp = () =>
    eventually(
      'the read models show all of it',
      async () => (await team.owner.getOnce('/v1/projects')).headers.get('x-read-lag') === null,
      60_000,
    );
  const runs = async () =>
    (await team.owner.get(`/v1/test/run/?project_id=${project_id}&page_size=1`)).body.items[0]?.test_run_id;

  it('can have 10,000 items, in appends that the log accepts, all visible at once', async function () {
    const results = Array.from({ length: 10_000 }, (_, n) => ({
      name: `test ${n} ${'of a long name '.repeat(10)}`,
      status: 'passed',
      error_message: 'x'.repeat(1_000),
    }));
    const id = await submitted(results);
    await caughtUp();
    expect((await runOf(id)).counts).to.include({ total: 10_000, passed: 10_000 });
    const last = await team.owner.get(`/v1/test/result/result_${id.slice(4)}_9999`);
    expect(last.body, last.text).to.include({ test_name: results.at(-1)!.name });
    expect((await team.owner.get(`/v1/test/result/result_${id.slice(4)}_10000`)).status).to.equal(404);
  });

  it('can have items with as much metadata as a result can have', async function () {
    const metadata = { text: 'é'.repeat(32_700) };
    const id = await submitted(
      Array.from({ length: 60 }, (_, n) => ({ ...fine, name: `test ${n}`, metadata })),
    );
    await caughtUp();
    const last = await team.owner.get(`/v1/test/result/result_${id.slice(4)}_59`);
    expect(last.body.metadata).to.deep.equal(metadata);
  });

  it('is refused as a whole for one bad item, which is named, and leaves nothing', async () => {
    const newest = await runs();
    const answer = await submit([fine, { ...fine, status: 'Passed' }, fine, { ...fine, name: 'x' }]);
    expectError(answer, 400, 'invalid_request', 'validation_failed');
    const named = answer.body.error.details.errors.map(({ pointer }: any) => pointer);
    expect(named).to.deep.equal(['/results/1/status', '/results/3/name']);
    expect(await runs()).to.equal(newest);
  });

  it('gets the first answer when it is repeated with its key, also in another coding', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await submit([fine], {}, headers);
    expect(first.status, first.text).to.equal(201);
    const newest = await runs();
    expect((await submit([fine], {}, headers)).text).to.equal(first.text);
    const packed = await team.owner.send({
      method: 'POST',
      path: '/v1/test-runs',
      content: new Uint8Array(gzipSync(JSON.stringify({ project_id, results: [fine] }))),
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    });
    expect(packed.text).to.equal(first.text);
    expect(await runs()).to.equal(newest);
    expectError(await submit([fine, fine], {}, headers), 422, 'idempotency_mismatch');
  });

  it('is 404 for an unknown project, and 403 for an inactive one', async () => {
    const nowhere = { project_id: 'project_01h455vb4pex5vsknk084sn02q' };
    expectError(await submit([fine], nowhere), 404, 'not_found');
    expectError(await submit([fine], { project_id: 'x' }), 404, 'not_found');
    const inactive = await givenProject(team.owner);
    await givenInactive(team.owner, inactive);
    expectError(await submit([fine], { project_id: inactive }), 403, 'forbidden', 'project_inactive');
  });

  it('is refused in the general order of refusals', async () => {
    const viewer = await givenKey(team.owner, 'viewer');
    await submit([fine], {}, { 'Idempotency-Key': 'used' });
    const raw = async (key: string, more: string, content = '{', length = Buffer.byteLength(content)) => {
      const head = `POST /v1/test-runs HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n${more}`;
      const { status, body } = await sendRaw(server.url, `${head}Content-Length: ${length}\r\n\r\n`, content);
      return [status, JSON.parse(body).error.code];
    };
    const [json, text] = ['Content-Type: application/json\r\n', 'Content-Type: text/plain\r\n'];
    const key = team.owner.key!;
    expect(await raw('nobody', json, '{', LIMIT + 1)).to.deep.equal([401, 'unauthorized']);
    expect(await raw(viewer, json, '{', LIMIT + 1)).to.deep.equal([413, 'payload_too_large']);
    expect(await raw(viewer, text)).to.deep.equal([415, 'unsupported_media_type']);
    const used = `${json}Idempotency-Key: used\r\n`;
    expect(await raw(viewer, used)).to.deep.equal([403, 'forbidden']);
    expect(await raw(key, used)).to.deep.equal([422, 'idempotency_mismatch']);
    expect(await raw(key, json)).to.deep.equal([400, 'invalid_request']);
  });
});
