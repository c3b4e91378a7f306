import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { openAnswerBatches } from '../../../src/http/protocol/answer-batches.js';
import { createApp } from '../../../src/http/app.js';
import { listen, type Listening } from '../../../src/http/server.js';
import { idleMetrics } from '../monitoring/idle-metrics.js';

describe('answer batches', () => {
  /** Records the answers in the order in which they are sent. */
  function answering(now?: () => number): { answer(name: string): void; sent: string[] } {
    const batch = openAnswerBatches(now);
    const sent: string[] = [];
    return { sent, answer: (name) => void batch().then(() => sent.push(name)) };
  }

  it('send an answer at the end of the turn of the event loop in which it is ready', async () => {
    const { answer, sent } = answering();
    answer('a');
    const endOfTurn = setImmediate();
    await Promise.resolve();
    expect(sent).to.deep.equal([]);
    await endOfTurn;
    expect(sent).to.deep.equal(['a']);
  });

  it('send the answers of one turn together, in their order', async () => {
    const { answer, sent } = answering();
    answer('a');
    await Promise.resolve();
    answer('b');
    expect(sent).to.deep.equal([]);
    await setImmediate();
    expect(sent).to.deep.equal(['a', 'b']);
  });

  it('do not let eight answers wait for the end of the turn', async () => {
    const { answer, sent } = answering();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    names.forEach(answer);
    await Promise.resolve();
    expect(sent).to.deep.equal(names.slice(0, 8));
    await setImmediate();
    expect(sent).to.deep.equal(names);
  });

  it('do not let an answer wait for more than one request that takes longer than a millisecond', async () => {
    let ms = 0;
    const { answer, sent } = answering(() => ms);
    answer('a');
    ms = 0.9;
    answer('b');
    await Promise.resolve();
    expect(sent).to.deep.equal([]);
    ms = 1.1;
    answer('c');
    await Promise.resolve();
    expect(sent).to.deep.equal(['a', 'b', 'c']);
    answer('d');
    await Promise.resolve();
    expect(sent, 'a new batch').to.deep.equal(['a', 'b', 'c']);
    await setImmediate();
    expect(sent).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('send an answer that is ready after a batch with the next one', async () => {
    const { answer, sent } = answering();
    answer('a');
    await setImmediate();
    answer('b');
    await setImmediate();
    expect(sent).to.deep.equal(['a', 'b']);
  });
});

describe('requests that arrive together', () => {
  const steps: string[] = [];
  let listening: Listening;
  let clients: Socket[];
  before(async () => {
    const metrics = idleMetrics();
    const { koa } = createApp({
      surfaces: [],
      open: [],
      pages: [
        {
          method: 'GET',
          path: '/',
          handle: async (ctx) => {
            steps.push('handled');
            // `finish` would come too late to show the order.
            const end = ctx.res.end.bind(ctx.res) as (body: string) => typeof ctx.res;
            ctx.res.end = ((body: string) => {
              steps.push('sent');
              return end(body);
            }) as typeof ctx.res.end;
            ctx.body = 'done';
          },
        },
      ],
      metrics,
      logger: pino({ level: 'silent' }),
    });
    listening = await listen(koa, { host: '127.0.0.1', port: 0 });
    const port = Number(new URL(listening.url).port);
    clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    // The first request of each, so that its connection is accepted.
    for (const client of clients) await ask(client);
  });
  after(() => {
    for (const client of clients) client.destroy();
    return listening.stop(0);
  });

  /** On Linux, both requests have arrived before the server reads the first: this test depends on it. */
  const ask = (client: Socket) => {
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return once(client, 'data');
  };

  it('are all handled before the first of them is answered', async () => {
    steps.length = 0;
    await Promise.all(clients.map(ask));
    expect(steps).to.deep.equal(['handled', 'handled', 'sent', 'sent']);
  });
});
