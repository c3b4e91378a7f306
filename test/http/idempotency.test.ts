import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../kit/client.js';
import { givenKey, givenResult, givenRun, givenTeamWithProject } from './given.js';
import { expectError, expectProblem } from './refusals.js';
import { ownServer } from '../kit/server.js';

describe('Idempotency-Key', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');
  /** A key that is unused, also on stores that earlier suites have used. */
  const unused = () => ({ 'Idempotency-Key': randomUUID() });
  const runs = async () =>
    (await team.owner.get(`/v1/test/run/?project_id=${team.project}&page_size=100`)).body.items;
  const alike = ({ status, text }: Answer) => ({ status, text });

  it('gives a repeat the first answer, and creates one resource', async () => {
    const headers = unused();
    const body = { project_id: team.project, label: 'Once', metadata: { a: [1] } };
    const first = await team.owner.post('/v1/test/run/', body, headers);
    expect(first.status).to.equal(200);
    await team.owner.post(`/v1/test/run/${first.body.test_run_id}`, { status: 'Running' });
    for (let n = 0; n < 3; n += 1) {
      const again = await team.owner.post('/v1/test/run/', body, headers);
      expect(alike(again)).to.deep.equal(alike(first));
      expect(again.headers.get('content-type')).to.equal(first.headers.get('content-type'));
      expect(again.headers.get('x-request-id')).not.to.equal(first.headers.get('x-request-id'));
    }
    expect(await runs()).to.have.length(1);
  });

  it('works for every POST that shows no secret', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    const { test_result_id } = await givenResult(team.owner, team.project, { status: 'Pending' });
    for (const [path, body] of [
      ['/v1/projects', { name: 'Once' }],
      ['/v1/test/run/', { project_id: team.project }],
      [`/v1/test/run/${test_run_id}`, { status: 'Completed' }],
      [`/v1/test/run/?test_run_id=${test_run_id}`, { status: 'Completed' }],
      ['/v1/test/result/', { project_id: team.project, test_name: 'Once', status: 'Passed' }],
      [`/v1/test/result/${test_result_id}`, { error_message: 'once' }],
      [`/v1/test/result/${test_result_id}/start`, undefined],
      [`/v1/test/result/${test_result_id}/finish`, { status: 'Passed' }],
    ] as const) {
      const headers = unused();
      const first = await team.owner.post(path, body, headers);
      expect(first.status, first.text).to.be.oneOf([200, 201, 204]);
      expect(alike(await team.owner.post(path, body, headers)), path).to.deep.equal(alike(first));
    }
    // A second completion would have changed the snapshot.
    const { body } = await team.owner.get(`/v1/test/run/${test_run_id}`);
    expect(body.count_snapshot.at).to.equal(body.finished_at);
    expect((await team.owner.get('/v1/projects')).body.pagination.total).to.equal(2);
  });

  it('refuses another body with 422, however small the difference', async () => {
    const headers = unused();
    const send = (content: string) =>
      team.owner.send({ method: 'POST', path: '/v1/test/run/', headers, content });
    await send(JSON.stringify({ project_id: team.project }));
    for (const other of [
      JSON.stringify({ project_id: team.project, label: 'Other' }),
      `{"project_id": "${team.project}"}`,
      '{',
      '',
    ]) {
      expectProblem(await send(other), 422, 'idempotency_mismatch');
    }
    expect(await runs()).to.have.length(1);
    const b = unused();
    await team.owner.post('/v1/projects', { name: 'One' }, b);
    expectError(await team.owner.post('/v1/projects', { name: 'Other' }, b), 422, 'idempotency_mismatch');
  });

  it('accepts the same body in any compression', async () => {
    const headers = unused();
    const text = JSON.stringify({ project_id: team.project, label: 'Packed' });
    const plain = await team.owner.send({ method: 'POST', path: '/v1/test/run/', headers, content: text });
    const packed = await team.owner.send({
      method: 'POST',
      path: '/v1/test/run/',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
      content: Uint8Array.from(gzipSync(text)),
    });
    expect(alike(packed)).to.deep.equal(alike(plain));
    expect(await runs()).to.have.length(1);
  });

  it('belongs to a team, and all keys of the team share it', async () => {
    const headers = unused();
    const other = await server.newTeam();
    const first = await team.owner.post('/v1/projects', { name: 'Scoped' }, headers);
    const foreign = await other.owner.post('/v1/projects', { name: 'Scoped' }, headers);
    expect(foreign.status).to.equal(201);
    expect(foreign.body.data.id).not.to.equal(first.body.data.id);
    const colleague = server.as(await givenKey(team.owner, 'admin'));
    const shared = await colleague.post('/v1/projects', { name: 'Scoped' }, headers);
    expect(alike(shared)).to.deep.equal(alike(first));
  });

  it('belongs to a path with its query', async () => {
    const headers = unused();
    const [one, two] = [await givenRun(team.owner, team.project), await givenRun(team.owner, team.project)];
    const paths = [
      `/v1/test/run/${one.test_run_id}`,
      `/v1/test/run/${two.test_run_id}`,
      `/v1/test/run/?test_run_id=${one.test_run_id}`,
      `/v1/test/run/?test_run_id=${two.test_run_id}`,
    ];
    for (const [n, path] of paths.entries()) {
      expect((await team.owner.post(path, { label: `Label ${n}` }, headers)).status).to.equal(204);
    }
    const labels = (await runs()).map((run: any) => run.label);
    expect(labels).to.have.members(['Label 2', 'Label 3']);
  });

  it('never shows a secret twice: a repeat is 409 already_answered', async () => {
    const headers = unused();
    const body = { name: 'Once', role: 'viewer' };
    const first = await team.owner.post('/v1/keys', body, headers);
    expect(first.status).to.equal(201);
    for (let n = 0; n < 2; n += 1) {
      const again = await team.owner.post('/v1/keys', body, headers);
      expectError(again, 409, 'conflict', 'already_answered');
      expect(again.text).not.to.include(first.body.data.key);
    }
    expect((await team.owner.get('/v1/keys')).body.pagination.total).to.equal(2);
    const other = { ...body, name: 'Other' };
    expectError(await team.owner.post('/v1/keys', other, headers), 422, 'idempotency_mismatch');
    expect((await server.as(first.body.data.key).get('/v1/me')).status).to.equal(200);

    const many = unused();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => team.owner.post('/v1/keys', { name: 'One', role: 'viewer' }, many)),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    for (const lost of answers.filter(({ status }) => status !== 201)) expectError(lost, 409, 'conflict');
    expect((await team.owner.get('/v1/keys')).body.pagination.total).to.equal(3);

    const teams = unused();
    expect((await server.operator.post('/v1/teams', { name: 'Once' }, teams)).status).to.equal(201);
    const again = await server.operator.post('/v1/teams', { name: 'Once' }, teams);
    expectError(again, 409, 'conflict', 'already_answered');
  });

  it('works for every POST of a webhook: a repeated ping is one ping', async () => {
    const headers = unused();
    const body = { url: 'https://example.org/hook', events: ['*'] };
    const first = await team.owner.post('/v1/webhooks', body, headers);
    const { id, secret } = first.body.data;
    const again = await team.owner.post('/v1/webhooks', body, headers);
    expectError(again, 409, 'conflict', 'already_answered');
    expect(again.text).not.to.include(secret);
    expect((await team.owner.get('/v1/webhooks')).body.pagination.total).to.equal(1);

    const rotate = unused();
    const path = `/v1/webhooks/${id}/rotate-secret`;
    expect((await team.owner.post(path, undefined, rotate)).status).to.equal(200);
    expectError(await team.owner.post(path, undefined, rotate), 409, 'conflict', 'already_answered');

    const ping = unused();
    const answers = [];
    for (let n = 0; n < 3; n += 1) {
      answers.push((await team.owner.post(`/v1/webhooks/${id}/ping`, undefined, ping)).body.data.event_id);
    }
    expect(new Set(answers).size).to.equal(1);
    const events = (await team.owner.get('/v1/events?limit=1000&types=WebhookPinged,WebhookSecretRotated'))
      .body.data as { type: string; id: string }[];
    expect(events.map(({ type }) => type)).to.deep.equal(['WebhookSecretRotated', 'WebhookPinged']);
    expect(events[1]!.id).to.equal(answers[0]);
  });

  it('is ignored for PATCH, DELETE and GET', async () => {
    const headers = unused();
    const patch = (name: string) => team.owner.patch(`/v1/projects/${team.project}`, { name }, headers);
    expect((await patch('First name')).body.data.name).to.equal('First name');
    expect((await patch('Second name')).body.data.name).to.equal('Second name');
    const { test_result_id } = await givenResult(team.owner, team.project);
    const remove = () => team.owner.delete(`/v1/test/result/${test_result_id}`, headers);
    expect((await remove()).status).to.equal(200);
    expectProblem(await remove(), 404, 'not_found');
    const ill = { 'Idempotency-Key': 'a b' };
    expect((await team.owner.get('/v1/me', ill)).status).to.equal(200);
    expect((await team.owner.patch(`/v1/projects/${team.project}`, {}, ill)).status).to.equal(200);
  });
});
