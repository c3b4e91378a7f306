import { expect } from 'chai';
import { Agent, request } from 'node:http';
import { givenProject, givenResult, givenTeam } from '../given.js';
import { sendRaw } from '../protocol/raw.js';
import { testServer } from '../../kit/server.js';

describe('after a refused body', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');

  it('the next request on the connection is answered, however much of the body was unread', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: team.owner.key!, 'content-type': 'application/json' };
    try {
      const bomb = await answer(agent, 'POST', '/v1/projects', {
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: Buffer.alloc(900_000),
      });
      expect(bomb).to.equal(400);
      expect(await answer(agent, 'GET', '/v1/me', { headers })).to.equal(200);
    } finally {
      agent.destroy();
    }
  });

  it('an empty body in chunks was not refused: it counts as no body', async () => {
    const result = await givenResult(team.owner, await givenProject(team.owner));
    const { status } = await sendRaw(
      server.url,
      `POST /v1/test/result/${result.test_result_id}/start HTTP/1.1\r\nHost: x\r\nAuthorization: ${team.owner.key}\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(status).to.equal(200);
  });

  function answer(
    agent: Agent,
    method: string,
    path: string,
    { headers, body }: { headers: Record<string, string>; body?: Buffer },
  ): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request(server.url + path, { agent, method, headers, timeout: 5_000 }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }
});
