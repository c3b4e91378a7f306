import { expect } from 'chai';
import { givenAnnounced, givenArtifact, givenProject, givenResult, givenTeam } from '../given.js';
import { blobRoutesMounted, ownServer, testServer } from '../../kit/server.js';

const APP = 'https://app.example';

describe('a page of an allowed origin', () => {
  const server = ownServer({ CORS_ORIGINS: `${APP}, http://localhost:5173` });
  const team = givenTeam(server, 'each suite');
  const preflight = (path: string, method: string, origin = APP) =>
    server.as(null).send({
      method: 'OPTIONS',
      path,
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    });

  it('gets an answer to its preflight, without a key', async () => {
    for (const origin of [APP, 'http://localhost:5173']) {
      const { status, headers, text } = await preflight('/v1/test-runs', 'POST', origin);
      expect([status, text]).to.deep.equal([204, '']);
      expect(headers.get('access-control-allow-origin')).to.equal(origin);
      expect(headers.get('access-control-allow-methods')?.split(',')).to.include.members([
        'POST',
        'PATCH',
        'DELETE',
      ]);
      expect(headers.get('access-control-allow-headers')).to.include('idempotency-key');
      expect(headers.get('access-control-max-age')).to.equal('600');
      expect(headers.get('access-control-allow-credentials')).to.equal(null);
      expect(headers.get('vary')).to.include('Origin');
    }
  });

  it('sees answers and refusals, and the headers that it needs', async () => {
    const origin = { Origin: APP };
    const answers = [
      await team.owner.get('/v1/me', origin),
      await team.owner.get('/v1/projects/unknown', origin),
      await server.as(null).get('/v1/me', origin),
      await team.owner.post('/v1/projects', { name: 'From a page' }, origin),
      await team.owner.get('/v1/nothing', origin),
      await team.owner.get('/v1/events', { ...origin, Accept: 'application/x-ndjson' }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 401, 201, 404, 200]);
    for (const { status, headers } of answers) {
      expect(headers.get('access-control-allow-origin'), String(status)).to.equal(APP);
      expect(headers.get('access-control-expose-headers')?.split(',')).to.include.members([
        'Location',
        'X-Request-Id',
      ]);
      expect(headers.get('vary')?.split(', ')).to.include('Origin');
    }
  });

  it('uploads and downloads by signed URLs', async function () {
    // The URLs of S3 do not lead here.
    if (blobRoutesMounted().length === 0) return;
    const project = await givenProject(team.owner);
    const { test_result_id } = await givenResult(team.owner, project);
    const { upload_url } = await givenAnnounced(team.owner, test_result_id);
    const path = upload_url.slice(server.url.length);
    expect((await preflight(path, 'PUT')).headers.get('access-control-allow-origin')).to.equal(APP);
    const headers = { Origin: APP, 'Content-Type': 'image/png' };
    const put = await server.as(null).send({ method: 'PUT', path, headers, content: 'the bytes' });
    expect([put.status, put.headers.get('access-control-allow-origin')]).to.deep.equal([200, APP]);

    const { artifact_id } = await givenArtifact(team.owner, test_result_id);
    const { body } = await team.owner.get(`/v1/test/artifact/${artifact_id}/download`);
    for (const [status, more] of [
      [200, {}],
      [206, { Range: 'bytes=0-2' }],
      [416, { Range: 'bytes=100-' }],
    ] as const) {
      const file = await fetch(body.download_url, { headers: { Origin: APP, ...more } });
      await file.arrayBuffer();
      expect(file.status).to.equal(status);
      expect(file.headers.get('access-control-allow-origin')).to.equal(APP);
      expect(file.headers.get('vary')).to.include('Origin');
    }
  });

  it('differs from a page of another origin, which gets what it got before', async () => {
    for (const origin of [
      'https://evil.example',
      'https://app.example.evil.example',
      'http://app.example',
      'null',
    ]) {
      const { status, headers } = await preflight('/v1/test-runs', 'POST', origin);
      expect([status, headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS, POST']);
      expect(headers.get('access-control-allow-origin')).to.equal(null);
      const answer = await team.owner.get('/v1/me', { Origin: origin });
      expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
      expect(answer.headers.get('vary')).to.include('Origin');
    }
  });
});

describe('a page of another origin', () => {
  const server = testServer();

  it('is not served by default', async () => {
    const headers = { Origin: APP, 'Access-Control-Request-Method': 'GET' };
    const preflight = await server.as(null).send({ method: 'OPTIONS', path: '/v1/me', headers });
    const answer = await server.operator.get('/v1/me', { Origin: APP });
    for (const { headers } of [preflight, answer]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
      expect(headers.get('vary')).to.equal(null);
    }
  });
});
