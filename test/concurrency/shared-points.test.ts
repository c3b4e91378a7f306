import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import {
  openPointExchange,
  type PointExchange,
  type TakenPoints,
} from '../../src/concurrency/shared-points.js';
import { rateLimit } from '../../src/http/backpressure/rate-limit.js';
import { eventually } from '../stores.js';

describe('points that several processes take from one allowance', () => {
  const open: PointExchange[] = [];
  const sent: TakenPoints[] = [];
  afterEach(() => {
    for (const each of open.splice(0)) each.close();
    sent.length = 0;
  });
  /** Over a bus that never answers. */
  const send = (taken: TakenPoints): unknown => {
    sent.push(taken);
    return new Promise(() => undefined);
  };
  const exchange = () => {
    const opened = openPointExchange(send);
    open.push(opened);
    return opened;
  };

  it('are sent together, each key once, however often it takes some', async () => {
    const one = exchange();
    for (let n = 0; n < 100; n += 1) one.of('requests').taken('a', 1);
    one.of('requests').taken('b', 2);
    one.of('sign-in').taken('a', 1);
    one.of('sign-in').taken('a', -1);
    await eventually('they are sent', () => sent.length > 0);
    expect(sent).to.deep.equal([
      [
        ['requests', 'a', 100],
        ['requests', 'b', 2],
        ['sign-in', 'a', 0],
      ],
    ]);
  });

  it('are charged to a request before they are sent, so that no request waits for the bus', async () => {
    const limit = rateLimit(1, exchange().of('requests'));
    const setHeader = () => response;
    const response = { setHeader } as unknown as ServerResponse;
    limit.request('key', response);
    expect(sent, 'while requests are charged').to.deep.equal([]);
    await eventually('they are sent', () => sent.length > 0);
    expect(sent).to.deep.equal([[['requests', 'key', 1]]]);
    limit.request('another key', response);
  });

  it('reach only the allowance that they were taken from, and are not sent on', () => {
    const one = exchange();
    const heard: unknown[] = [];
    one.of('requests').onTakenElsewhere((...taken) => heard.push(taken));
    one.received([
      ['requests', 'a', 3],
      ['sign-in', 'a', 1],
    ]);
    expect(heard).to.deep.equal([['a', 3]]);
    expect(sent).to.deep.equal([]);
  });
});
