import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenAnnounced, givenInactive, givenProject, givenResult, newArtifact, uploaded } from '../given.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer, type Team } from '../../kit/server.js';

const KIB = 1_024;

describe('surface A: artifacts in batches', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  let result: string;
  beforeEach(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    result = (await givenResult(team.owner, project)).test_result_id;
  });
  const item = (more: object = {}) => ({ ...newArtifact, test_result_id: result, ...more });
  const file = (text: string | Buffer, more: object = {}) => {
    const bytes = Buffer.from(text);
    return item({ size_bytes: bytes.length, content: bytes.toString('base64'), ...more });
  };
  const create = (artifacts: object[], headers: Record<string, string> = {}) =>
    team.owner.post('/v1/test/artifact/batch', { artifacts }, headers);
  const confirm = (artifact_ids: string[], headers: Record<string, string> = {}) =>
    team.owner.post('/v1/test/artifact/batch/confirm', { artifact_ids }, headers);
  const listed = async (id = result): Promise<any[]> =>
    (await team.owner.get(`/v1/test/artifact/?test_result_id=${id}`)).body.items;
  const contentOf = async (id: string) => {
    const { body } = await team.owner.get(`/v1/test/artifact/${id}/download`);
    const got = await fetch(body.download_url);
    return [got.headers.get('content-type'), Buffer.from(await got.arrayBuffer()).toString()];
  };
  const codes = ({ body }: Answer) => body.items.map((each: any) => each.error?.code ?? null);

  it('are there with their bytes where those are in the call, and else have an upload URL', async () => {
    const other = (await givenResult(team.owner, project)).test_result_id;
    const answer = await create([
      file('one', { label: 'a.txt', content_type: 'text/plain', test_step: 'Log in', metadata: { a: 1 } }),
      item({ label: 'b' }),
      file('three', { test_result_id: other }),
      item({ content: null }),
    ]);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.have.all.keys('items');
    const [one, two, three] = answer.body.items.map(({ artifact }: any) => artifact);
    expect(one).to.deep.include({ label: 'a.txt', test_step: 'Log in', metadata: { a: 1 }, size_bytes: 3 });
    expect(codes(answer)).to.deep.equal([null, null, null, null]);
    expect(await listed()).to.deep.equal([one]);
    expect(await listed(other)).to.deep.equal([three]);
    expect(await contentOf(one.artifact_id)).to.deep.equal(['text/plain', 'one']);

    expect(await uploaded(two.upload_url, 'the bytes')).to.be.oneOf([200, 204]);
    const confirmed = await confirm([two.artifact_id]);
    expect(confirmed.status, confirmed.text).to.equal(200);
    expect(await listed()).to.deep.equal([one, confirmed.body.items[0].artifact]);
  });

  it('are there once, however often the call is repeated with its key', async () => {
    const headers = { 'Idempotency-Key': 'the-batch' };
    const all = Array.from({ length: 30 }, (_, n) => file(`file ${n}`, { label: `file ${n}` }));
    const first = await create(all, headers);
    const repeats = await Promise.all(Array.from({ length: 4 }, () => create(all, headers)));
    for (const each of repeats) expect([each.status, each.text]).to.deep.equal([200, first.text]);
    expect(await listed()).to.have.length(30);
    expectProblem(await create(all.slice(1), headers), 422, 'idempotency_mismatch');
  });

  it('are refused one by one with the codes of single calls, and the others are there', async () => {
    const inactive = await givenProject(team.owner);
    const there = (await givenResult(team.owner, inactive)).test_result_id;
    await givenInactive(team.owner, inactive);
    const foreign = await server.newTeam();
    const theirs = (await givenResult(foreign.owner, await givenProject(foreign.owner))).test_result_id;
    const answer = await create([
      ...Array.from({ length: 51 }, () => file('x')),
      file('x', { test_result_id: there }),
      file('x', { test_result_id: theirs }),
      file('x', { test_result_id: 'result_1' }),
    ]);
    expect(answer.status, answer.text).to.equal(200);
    expect(codes(answer).slice(49)).to.deep.equal([
      null,
      'artifact_limit',
      'project_inactive',
      'not_found',
      'not_found',
    ]);
    expect(answer.body.items[52]).to.deep.equal({
      artifact: null,
      error: { code: 'not_found', status: 404, detail: answer.body.items[53].error.detail },
    });
    expect(await listed()).to.have.length(50);

    const { artifact_id } = await givenAnnounced(
      team.owner,
      (await givenResult(team.owner, project)).test_result_id,
    );
    const unconfirmed = await confirm([artifact_id, 'artifact_1']);
    expect(codes(unconfirmed)).to.deep.equal(['upload_missing', 'not_found']);
  });

  it('are all refused where one is not valid, and each fault is named by its place', async () => {
    const answer = await create([
      file('good'),
      item({ label: '' }),
      { ...file('good'), size_bytes: undefined },
      item({ content: 1 }),
    ]);
    expectFaults(
      answer,
      '/artifacts/1/label too_short',
      '/artifacts/2/size_bytes required',
      '/artifacts/3/content wrong_type',
    );
    expectFaults(
      await create([
        file('good'),
        file('good', { size_bytes: 5 }),
        file('good', { content: 'not base64!' }),
        file('good', { content: 'Z29vZA' }),
        file(Buffer.alloc(64 * KIB + 1)),
      ]),
      '/artifacts/1/content not_valid',
      '/artifacts/2/content not_valid',
      '/artifacts/3/content not_valid',
      '/artifacts/4/content too_large',
    );
    expect(await listed()).to.deep.equal([]);
  });

  it('are up to 100 in a call, of up to 1 MiB, each with up to 64 KiB', async () => {
    const results = await Promise.all([1, 2].map(() => givenResult(team.owner, project)));
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => file('x', { test_result_id: results[n % 2]!.test_result_id }));
    expectFaults(await create([]), '/artifacts too_few');
    expectFaults(await create(many(101)), '/artifacts too_many');
    expect(codes(await create(many(100)))).to.deep.equal(Array(100).fill(null));
    const large = file(Buffer.alloc(64 * KIB, 'x'));
    expect(codes(await create(Array(11).fill(large)))).to.deep.equal(Array(11).fill(null));
    expectProblem(await create(Array(12).fill(large)), 413, 'payload_too_large');
    expectFaults(await confirm([]), '/artifact_ids too_few');
    expectFaults(await confirm(Array.from({ length: 101 }, (_, n) => `${n}`)), '/artifact_ids too_many');
    expectFaults(await confirm(['one', 'one']), '/artifact_ids twice');
  });

  it('have together as many values in their metadata as one may have', async () => {
    const metadata = (count: number) => ({ values: Array.from({ length: count }, (_, n) => n) });
    const all = Array.from({ length: 50 }, () => file('x', { metadata: metadata(95) }));
    expect(codes(await create(all))).to.deep.equal(Array(50).fill(null));
    expectFaults(await create(Array(50).fill(file('x', { metadata: metadata(150) }))), ' too_many');
  });
});
