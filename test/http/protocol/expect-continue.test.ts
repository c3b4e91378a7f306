import { expect } from 'chai';
import { once } from 'node:events';
import { givenKey, givenProject, givenTeam } from '../given.js';
import { connected } from './raw.js';
import { testServer } from '../../kit/server.js';

const MIB = 1024 * 1024;

describe('100 Continue', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let viewer: string;
  before(async () => {
    viewer = await givenKey(team.owner, 'viewer');
  });

  type Head = { path: string; key: string | null; length: number; type?: string };
  const headOf = ({ path, key, length, type = 'application/json' }: Head) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      ...(key === null ? [] : [`Authorization: ${key}`]),
      `Content-Type: ${type}`,
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n');
  /** The status lines that come before the client sends a body, which it does where it is asked for one. */
  async function statuses(head: Head, body = ''): Promise<string[]> {
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    const closed = once(socket, 'close');
    socket.write(headOf(head));
    while (!received.includes('\r\n\r\n')) await once(socket, 'data');
    if (received.startsWith('HTTP/1.1 100 ')) {
      socket.write(body);
      while (!/\r\n\r\nHTTP.*\r\n\r\n/s.test(received)) await once(socket, 'data');
      socket.destroy();
    }
    // After a refusal the server closes: it cannot know whether the body still comes.
    await closed;
    return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
  }

  for (const path of ['/v1/projects', '/v1/test-runs', '/v1/test/run/']) {
    it(`is not sent before the key, the length and the type are accepted: ${path}`, async () => {
      const key = team.owner.key;
      expect(await statuses({ path, key: null, length: 300_000 })).to.deep.equal(['401']);
      expect(await statuses({ path, key: 'nonsense', length: 300_000 })).to.deep.equal(['401']);
      expect(await statuses({ path, key, length: 99 * MIB })).to.deep.equal(['413']);
      expect(await statuses({ path, key, length: 100, type: 'text/plain' })).to.deep.equal(['415']);
    });
  }

  it('is not sent before the role is accepted, for a submission', async () => {
    expect(await statuses({ path: '/v1/test-runs', key: viewer, length: 300_000 })).to.deep.equal(['403']);
  });

  it('is sent once the request is accepted, and the body is taken', async () => {
    const key = team.owner.key;
    const project = '{"name":"expected"}';
    expect(await statuses({ path: '/v1/projects', key, length: project.length }, project)).to.deep.equal([
      '100',
      '201',
    ]);
    const project_id = await givenProject(team.owner);
    const run = JSON.stringify({ project_id, results: [{ name: 'a test', status: 'passed' }] });
    expect(await statuses({ path: '/v1/test-runs', key, length: run.length }, run)).to.deep.equal([
      '100',
      '201',
    ]);
  });

  it('is not sent for a path that does not exist', async () => {
    expect(await statuses({ path: '/v1/nothing', key: team.owner.key, length: 10 })).to.deep.equal(['404']);
  });
});
