import { expect } from 'chai';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { givenProject, givenRun, givenSubmission } from '../given.js';
import { sendRaw } from './raw.js';
import { testServer, type Team } from '../../kit/server.js';

describe('a GET with a condition', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });

  it('is answered 304 without a body as long as the client has the present answer', async () => {
    const { test_run_id } = await givenRun(team.owner, project);
    for (const path of [
      `/v1/projects/${project}`,
      `/v1/test/run/${test_run_id}`,
      `/v1/test-runs/${test_run_id}`,
      `/v1/test/project/`,
      '/v1/events/schemas/RunCreated.v1',
    ]) {
      const first = await team.owner.get(path);
      const etag = first.headers.get('etag');
      expect(etag, path).to.match(/^W\/"[\w-]+"$/);
      for (const named of [etag!, etag!.slice(2), `"other", ${etag!}`, '*']) {
        const second = await team.owner.get(path, { 'If-None-Match': named });
        expect([second.status, second.text], `${path} ${named}`).to.deep.equal([304, '']);
        expect(second.headers.get('etag')).to.equal(etag);
        expect(second.headers.get('cache-control')).to.equal('no-store');
        expect(second.headers.get('content-type')).to.equal(null);
      }
      expect((await team.owner.get(path, { 'If-None-Match': '"other"' })).text).to.equal(first.text);
    }
  });

  it('is answered in full after a change', async () => {
    const { test_run_id } = await givenRun(team.owner, project, { label: 'before' });
    const path = `/v1/test/run/${test_run_id}`;
    const etag = (await team.owner.get(path)).headers.get('etag')!;
    await team.owner.post(path, { label: 'after' });
    const { status, body } = await team.owner.get(path, { 'If-None-Match': etag });
    expect([status, body.label]).to.deep.equal([200, 'after']);
  });

  it('is answered 404 for what does not exist, and 401 without a key', async () => {
    const condition = { 'If-None-Match': '*' };
    const missing = await team.owner.get('/v1/projects/unknown', condition);
    expect([missing.status, missing.headers.get('etag')]).to.deep.equal([404, null]);
    expect((await server.as(null).get(`/v1/projects/${project}`, condition)).status).to.equal(401);
  });
});

describe('a large answer', () => {
  const server = testServer();
  let team: Team;
  before(async () => {
    team = await server.newTeam();
    const project = await givenProject(team.owner);
    await givenSubmission(
      team.owner,
      project,
      Array.from({ length: 400 }, () => ({})),
    );
    // Waits for the read models, so that the page is the same each time.
    await team.owner.get('/v1/projects');
  });
  const ask = (method: string, coding: string | null, path = '/v1/events?limit=400') =>
    sendRaw(
      server.url,
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${team.owner.key}\r\nConnection: close\r\n`,
      `${coding === null ? '' : `Accept-Encoding: ${coding}\r\n`}\r\n`,
    );
  const headerOf = (headers: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1];
  const bytes = (body: string) => Buffer.from(body, 'latin1');

  it('is compressed as the client accepts it, and inflates to the same bytes', async () => {
    const plain = await ask('GET', null);
    expect(headerOf(plain.headers, 'Content-Encoding')).to.equal(undefined);
    expect(headerOf(plain.headers, 'Vary')).to.equal('Accept, Accept-Encoding');
    for (const [accepted, coding, inflate] of [
      ['gzip', 'gzip', gunzipSync],
      ['br', 'br', brotliDecompressSync],
      ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ] as const) {
      const answer = await ask('GET', accepted);
      expect(headerOf(answer.headers, 'Content-Encoding')).to.equal(coding);
      expect(headerOf(answer.headers, 'Vary')).to.equal('Accept, Accept-Encoding');
      expect(Number(headerOf(answer.headers, 'Content-Length'))).to.equal(answer.body.length);
      expect(answer.body.length).to.be.below(plain.body.length / 4);
      expect(inflate(bytes(answer.body)).equals(bytes(plain.body)), accepted).to.equal(true);
    }
    for (const accepted of ['identity', 'zstd', 'gzip;q=0', '']) {
      expect((await ask('GET', accepted)).body, accepted).to.equal(plain.body);
    }
  });

  it('has the same headers for HEAD', async () => {
    const [get, head] = [await ask('GET', 'gzip'), await ask('HEAD', 'gzip')];
    expect(head.status).to.equal(200);
    for (const name of ['Content-Encoding', 'Content-Length', 'Vary']) {
      expect(headerOf(head.headers, name), name).to.equal(headerOf(get.headers, name));
    }
  });

  it('is not compressed if it is small, or a stream', async () => {
    for (const path of ['/v1/me', '/v1/projects']) {
      expect(headerOf((await ask('GET', 'gzip, br', path)).headers, 'Content-Encoding'), path).to.equal(
        undefined,
      );
    }
    const lines = await team.owner.get('/v1/events', {
      Accept: 'application/x-ndjson',
      'Accept-Encoding': 'gzip',
    });
    expect(lines.text.length).to.be.above(100_000);
    expect(lines.headers.get('content-encoding')).to.equal(null);
  });
});
