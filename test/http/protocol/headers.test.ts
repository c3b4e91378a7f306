import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenAnnounced, givenArtifact, givenResult, givenTeamWithProject, givenWebhook } from '../given.js';
import { blobRoutesMounted, testServer } from '../../kit/server.js';

describe('the headers of an answer', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const expectPrivate = ({ headers }: Pick<Answer, 'headers'>, what: string) => {
    expect(headers.get('cache-control'), what).to.equal('no-store');
    expect(headers.get('x-content-type-options'), what).to.equal('nosniff');
  };

  it('keep answers and refusals of every route out of caches', async () => {
    for (const route of server.program.routes) {
      const [method, pattern] = route.split(' ') as [string, string];
      // Pages and documents that are the same for all, without any data.
      if (/^\/(?:problems|docs|clients|openapi\.json|asyncapi\.json)/.test(pattern)) continue;
      const [path, query] = pattern.replaceAll(/:\w+/g, 'unknown').split('?') as [string, string?];
      const search = query === undefined ? '' : `?${query}=unknown`;
      const content = method === 'GET' ? undefined : '{"unknown":1}';
      for (const api of [team.owner, server.as(null)]) {
        expectPrivate(await api.send({ method, path: path + search, content }), route);
      }
    }
    expectPrivate(await team.owner.get('/v1/nothing'), '404');
    expectPrivate(await server.as(null).send({ method: 'OPTIONS', path: '/v1/me' }), 'OPTIONS');
  });

  it('keep secrets and data out of caches', async () => {
    const { test_result_id } = await givenResult(team.owner, team.project);
    for (const answer of await Promise.all([
      team.owner.post('/v1/keys', { name: 'A key', role: 'viewer' }),
      team.owner.post('/v1/webhooks', { url: 'https://example.org/hook', events: ['*'] }),
      team.owner.get(`/v1/projects/${team.project}`),
      team.owner.get(`/v1/test/result/${test_result_id}`),
      team.owner.get('/v1/events'),
      team.owner.get('/v1/events', { Accept: 'application/x-ndjson' }),
      team.owner.get('/v1/me'),
    ])) {
      expect(answer.status, answer.text).to.be.oneOf([200, 201]);
      expectPrivate(answer, answer.text.slice(0, 40));
    }
  });

  it('keep the errors of signed URLs out of caches, and let a file be kept for as long as its URL works', async function () {
    // The URLs of S3 do not lead here.
    if (blobRoutesMounted().length === 0) return;
    const { test_result_id } = await givenResult(team.owner, team.project);
    const { artifact_id } = await givenArtifact(team.owner, test_result_id);
    const { body } = await team.owner.get(`/v1/test/artifact/${artifact_id}/download`);
    const { upload_url } = await givenAnnounced(team.owner, test_result_id);
    const ask = (url: string, init: RequestInit = {}) => fetch(url, init);

    const file = await ask(body.download_url);
    expect(file.headers.get('cache-control')).to.match(/^private, max-age=\d+, immutable$/);
    expect(file.headers.get('x-content-type-options')).to.equal('nosniff');
    for (const [status, answer] of [
      [403, await ask(`${body.download_url}x`)],
      [403, await ask(upload_url)],
      [412, await ask(body.download_url, { headers: { 'If-Match': '"another"' } })],
      [416, await ask(body.download_url, { headers: { Range: 'bytes=100-' } })],
      [403, await ask(`${upload_url}x`, { method: 'PUT', body: 'the bytes' })],
      [400, await ask(upload_url, { method: 'PUT', body: 'short' })],
    ] as const) {
      expect(answer.status).to.equal(status);
      expectPrivate(answer, String(status));
      expect(answer.headers.get('etag')).to.equal(null);
      expect(answer.headers.get('content-disposition')).to.equal(null);
    }
  });

  it('let the pages about errors be kept by all', async () => {
    const { headers } = await server.as(null).get('/problems/not_found');
    expect(headers.get('cache-control')).to.equal('public, max-age=3600');
    expect(headers.get('vary')).to.equal('Accept');
  });

  it('name the scheme of authentication on every 401', async () => {
    for (const api of [server.as(null), server.as('nonsense')]) {
      for (const path of ['/v1/me', '/v1/test/project/']) {
        const { status, headers } = await api.get(path);
        expect(status).to.equal(401);
        expect(headers.get('www-authenticate')).to.equal('Bearer realm="testledger"');
      }
    }
  });

  it('name the place of what was created, at a repeat too', async () => {
    const created = async (path: string, body: object) => {
      const headers = { 'Idempotency-Key': `key for ${path}`.replaceAll(' ', '-') };
      const first = await team.owner.post(path, body, headers);
      const again = await team.owner.post(path, body, headers);
      expect([first.status, again.status, again.text]).to.deep.equal([201, 201, first.text]);
      const location = first.headers.get('location');
      expect(location).to.equal(`${path}/${first.body.data.id}`);
      expect(again.headers.get('location')).to.equal(location);
      const found = await team.owner.get(location!);
      expect(found.status, found.text).to.equal(200);
      expect(found.body.data.id).to.equal(first.body.data.id);
    };
    await created('/v1/projects', { name: 'Created' });
    await created('/v1/test-runs', {
      project_id: team.project,
      results: [{ name: 'a test', status: 'passed' }],
    });
    const key = await team.owner.post('/v1/keys/', { name: 'A key', role: 'viewer' });
    expect(key.headers.get('location')).to.equal(`/v1/keys/${key.body.data.id}`);
    expect((await team.owner.delete(key.headers.get('location')!)).status).to.equal(204);
    const { id } = await givenWebhook(team.owner);
    expect((await team.owner.get(`/v1/webhooks/${id}`)).headers.get('location')).to.equal(null);
  });
});
