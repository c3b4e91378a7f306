import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { givenKey, givenProject } from './given.js';
import { answerOf, connected } from './protocol/raw.js';
import { ownServer } from '../kit/server.js';
import { eventually } from '../stores.js';

describe('a stop', () => {
  const server = ownServer();
  afterEach(async () => {
    await server.stop();
    await server.start();
  });
  const body = '{"name":"In flight"}';
  const head = (path = '/v1/projects', length = body.length) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${server.operator.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  /** A request whose head the server has, but not its body. */
  const begun = async () => {
    const socket = await connected(server.url);
    socket.write(head());
    // The answer to a later request shows that the server has read the head.
    await server.operator.get('/livez');
    return socket;
  };
  const refused = (url: string) =>
    eventually('connections are refused', () =>
      connected(url).then(
        (socket) => !socket.destroy(),
        (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
      ),
    );
  /** A stop waits for 5 s for an open request. What else ends with it takes longer on a busy machine. */
  const closedAtOnce = async (socket: Socket) => {
    const closed = once(socket, 'close');
    const began = performance.now();
    const stopped = server.stop();
    await closed;
    expect(performance.now() - began).to.be.below(4_000);
    await stopped;
  };

  it('lets an open request end, while new connections are refused', async () => {
    const { url } = server;
    const socket = await begun();
    const stopped = server.stop();
    await refused(url);
    socket.write(body);
    const answer = await answerOf(socket);
    expect(answer.status, answer.body).to.equal(201);
    const { id } = JSON.parse(answer.body).data;
    await stopped;
    await server.start();
    expect((await server.operator.get(`/v1/projects/${id}`)).status).to.equal(200);
  });

  it('does not wait for idle connections that are kept alive', async () => {
    await server.operator.get('/v1/me');
    const idle = await connected(server.url);
    idle.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    await closedAtOnce(idle);
  });

  it('does not wait for connections without any data', async () => {
    const silent = await connected(server.url);
    await server.operator.get('/v1/me');
    await closedAtOnce(silent);
  });

  it('cuts off a request that does not end, and ends within 10 s', async () => {
    const answer = answerOf(await begun());
    const began = performance.now();
    await server.stop();
    expect(performance.now() - began).to.be.below(10_000);
    expect((await answer).status, 'no answer').to.equal(0);
  });

  it('refuses waiting submissions at once', async () => {
    const large = 8 * 1024 * 1024;
    const sending = [await connected(server.url), await connected(server.url)];
    for (const socket of sending) socket.write(head('/v1/test-runs', large));
    await server.operator.get('/livez');
    const waiting = await connected(server.url);
    waiting.write(head('/v1/test-runs', large));
    await server.operator.get('/livez');
    waiting.write(Buffer.alloc(large, ' '));
    const answered = answerOf(waiting);
    const began = performance.now();
    const stopped = server.stop();
    const { status, body: refusal } = await answered;
    expect([status, JSON.parse(refusal).error.code]).to.deep.equal([503, 'unavailable']);
    expect(performance.now() - began).to.be.below(2_500);
    for (const socket of sending) socket.destroy();
    await stopped;
  });

  it('loses no write that was answered', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => givenProject(server.operator)));
    await server.stop();
    await server.start();
    for (const id of ids) expect((await server.operator.get(`/v1/projects/${id}`)).status).to.equal(200);
  });

  it('stores the time of the last use of a key', async () => {
    const { owner } = await server.newTeam();
    const lastUsed = async () => {
      const { data } = (await owner.get('/v1/keys')).body;
      return data.map((key: any) => key.last_used_at) as string[];
    };
    await server.as(await givenKey(owner, 'viewer')).get('/v1/me');
    const [, before] = await lastUsed();
    await server.stop();
    await server.start();
    const [, after] = await lastUsed();
    expect(before).to.be.a('string');
    expect(after).to.equal(before);
  });
});
