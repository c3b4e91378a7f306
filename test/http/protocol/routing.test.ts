import { expect } from 'chai';
import { givenProject, givenRun, givenTeam } from '../given.js';
import { expectError, expectProblem } from '../refusals.js';
import { openRoutes, testServer } from '../../kit/server.js';

describe('the router', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const send = (method: string, path: string) => server.as(null).send({ method, path });

  it('accepts every route with and without a slash at the end', async () => {
    for (const route of server.program.routes) {
      const [method, pattern] = route.split(' ') as [string, string];
      const [path, query] = pattern.replaceAll(/:\w+/g, 'unknown').split('?') as [string, string?];
      const ask = async (path: string) => {
        const content = method === 'GET' ? undefined : '{"unknown":1}';
        const search = query === undefined ? '' : `?${query}=unknown`;
        const { status, body } = await team.owner.send({ method, path: path + search, content });
        return {
          status,
          code: body?.code ?? body?.error?.code,
          detail: body?.detail ?? body?.error?.message,
        };
      };
      const [bare, slash] = [await ask(path), await ask(`${path}/`)];
      expect(slash, route).to.deep.equal(bare);
      expect(bare.detail, route).not.to.equal('This path does not exist.');
    }
  });

  it('asks for no key on a route without one, though the routes of a surface are tried before it', async () => {
    for (const route of openRoutes()) {
      const [method, path] = route.replaceAll(/:\w+/g, 'unknown').split(' ') as [string, string];
      const { status, text } = await send(method, path);
      expect(text, `${route}: ${status}`).not.to.include('Send the API key');
      expect(text, `${route}: ${status}`).not.to.include('This path does not exist.');
    }
  });

  it('answers an unknown path in the form of its surface, with and without a key', async () => {
    for (const api of [team.owner, server.as(null)]) {
      for (const path of ['/v1/test/nothing', '/v1/test/', '/v1/test', '/nothing', '/V1/test/project/']) {
        expectProblem(await api.get(path), 404, 'not_found');
      }
      for (const path of ['/v1/nothing', '/v1', '/v1/', '/v1/testing', '/v1/Projects', '/v1/projects/a/b']) {
        expectError(await api.get(path), 404, 'not_found');
      }
    }
  });

  it('refuses an unsupported method with 405, and names the supported ones', async () => {
    for (const [path, allow] of [
      ['/v1/test/project/', 'GET, HEAD, OPTIONS'],
      ['/v1/test/run/', 'GET, HEAD, OPTIONS, POST'],
      ['/v1/test/run/x', 'GET, HEAD, OPTIONS, POST'],
      ['/v1/test/result', 'DELETE, GET, HEAD, OPTIONS, POST'],
      ['/v1/test/result/x/start', 'OPTIONS, POST'],
      ['/v1/test/status', 'GET, HEAD, OPTIONS'],
      ['/livez', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await send('PUT', path);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).to.equal(allow);
    }
    for (const [method, path, allow] of [
      ['PUT', '/v1/projects', 'GET, HEAD, OPTIONS, POST'],
      ['PUT', '/v1/projects/x', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
      ['POST', '/v1/events', 'GET, HEAD, OPTIONS'],
      ['GET', '/v1/teams', 'OPTIONS, POST'],
      ['PURGE', '/v1/keys/x/', 'DELETE, OPTIONS'],
    ] as const) {
      const answer = await send(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).to.equal(allow);
    }
  });

  it('answers OPTIONS with 204 and Allow, without a key', async () => {
    const { status, headers, text } = await send('OPTIONS', '/v1/test/run/x');
    expect([status, text]).to.deep.equal([204, '']);
    expect(headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST');
    expectError(await send('OPTIONS', '/v1/nothing'), 404, 'not_found');
  });

  it('answers HEAD like GET, without the body', async () => {
    const project = await givenProject(team.owner);
    const { test_run_id } = await givenRun(team.owner, project);
    for (const path of [
      '/v1/test/status',
      '/v1/test/project/',
      `/v1/test/run/${test_run_id}`,
      `/v1/test/run/?project_id=${project}`,
      '/v1/test/run/unknown',
      '/v1/test/run/',
      `/v1/projects/${project}`,
      '/v1/keys',
      '/v1/me',
      '/v1/events',
      '/v1/events/schemas',
      '/v1/events/schemas/RunCreated.v1',
    ]) {
      const [head, get] = [await team.owner.send({ method: 'HEAD', path }), await team.owner.get(path)];
      expect(head.text).to.equal('');
      expect(head.status, path).to.equal(get.status);
      for (const name of ['content-type', 'content-length']) {
        expect(head.headers.get(name), `${path} ${name}`).to.equal(get.headers.get(name));
      }
    }
    expectNoBody(await send('HEAD', '/v1/me'), 401);
    expectNoBody(await send('HEAD', '/v1/test/result/x/start'), 405);
    expectNoBody(await send('HEAD', '/v1/nothing'), 404);
  });
});

function expectNoBody({ status, text }: { status: number; text: string }, wanted: number): void {
  expect([status, text]).to.deep.equal([wanted, '']);
}
