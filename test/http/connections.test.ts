import { expect } from 'chai';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import Koa from 'koa';
import { listen, type Listening } from '../../src/http/server.js';
import { eventually } from '../stores.js';
import { connected } from './raw.js';

describe('the connections of a server', () => {
  const agents: Agent[] = [];
  let server: Listening;
  beforeEach(async () => {
    const koa = new Koa();
    koa.use((ctx) => void (ctx.body = 'yes'));
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
});
