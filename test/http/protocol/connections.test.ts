import { expect } from 'chai';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import Koa from 'koa';
import { listen, type Listening } from '../../../src/http/server.js';
import { eventually } from '../../stores.js';
import { connected } from '../raw.js';

describe('the connections of a server', () => {
  const agents: Agent[] = [];
  let server: Listening;
  let paths: string[] = [];
  beforeEach(async () => {
    paths = [];
    const koa = new Koa();
    // Koa would print an error for the client that leaves.
    koa.silent = true;
    koa.use(async (ctx) => {
      paths.push(ctx.path);
      if (ctx.path === '/endless') await once(ctx.res, 'close');
      ctx.body = 'yes';
    });
    server = await listen(koa, { host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy();
    await server.stop(0);
  });

  function client(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  }

  /** The header `Connection` of the answer. */
  async function ask(agent: Agent): Promise<string | undefined> {
    const asking = request(server.url, { agent }).end();
    const [answer] = await once(asking, 'response');
    answer.resume();
    await once(answer, 'end');
    return answer.headers.connection;
  }

  it('are active that have sent a request since the last count and are still open', async () => {
    const [first, second] = [client(), client()];
    const silent = await connected(server.url);
    await Promise.all([ask(first), ask(second)]);
    await ask(first);
    expect(server.connections.takeActive()).to.equal(2);
    expect(server.connections.takeActive()).to.equal(0);
    await Promise.all([ask(first), ask(second)]);
    first.destroy();
    await eventually('one is left', async () => {
      await ask(second);
      return server.connections.takeActive() === 1;
    });
    silent.destroy();
  });

  it('end with their next answer, as many as are wanted', async () => {
    const three = [client(), client(), client()];
    for (const each of three) expect(await ask(each)).to.equal('keep-alive');
    server.connections.endAfterAnswer(2);
    const told = [];
    for (const each of three) told.push(await ask(each));
    expect(told).to.deep.equal(['close', 'close', 'keep-alive']);
    for (const each of three) expect(await ask(each)).to.equal('keep-alive');
  });

  it('do not end while requests that were sent ahead wait for their answers', async () => {
    const socket = await connected(server.url);
    server.connections.endAfterAnswer(1);
    const received = receivedOn(socket);
    socket.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await eventually('three answers', () => received().split('\r\n\r\nyes').length === 4);
    expect(paths).to.deep.equal(['/1', '/2', '/3']);
    expect(received()).not.to.include('Connection: close');
    socket.destroy();
  });

  it('carry out no request after the answer that ends them', async () => {
    const socket = await connected(server.url);
    server.connections.endAfterAnswer(1);
    socket.on('data', () => socket.write('POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'));
    socket.on('error', () => undefined);
    socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    expect(await ask(client())).to.equal('keep-alive');
    expect(paths).to.deep.equal(['/first', '/']);
  });

  it('do not hold up a stop when their client has left, also with requests that were sent ahead', async () => {
    // A connection that is kept alive: the stop may close it only when the server knows that no request is open.
    await ask(client());
    const socket = await connected(server.url);
    socket.write(['/endless', '/ahead'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await eventually('both requests', () => paths.length === 3);
    socket.resetAndDestroy();
    const began = performance.now();
    await server.stop(10_000);
    expect(performance.now() - began).to.be.below(5_000);
  });

  it('do not end while a body is still on its way', async () => {
    const socket = await connected(server.url);
    server.connections.endAfterAnswer(1);
    const received = receivedOn(socket);
    socket.write('POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await eventually('the answer', () => received().endsWith('yes'));
    expect(received()).to.include('Connection: keep-alive');
    socket.destroy();
  });
});

function receivedOn(socket: Socket): () => string {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}
