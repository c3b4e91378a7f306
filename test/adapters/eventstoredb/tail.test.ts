import { expect } from 'chai';
import type { Connection } from '../../../src/adapters/eventstoredb/connection.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import { subscribe } from '../../../src/adapters/eventstoredb/subscription.js';
import { openTail, type Tail } from '../../../src/adapters/eventstoredb/tail.js';
import { until } from '../../contract/event-log/events.js';
import { at, scriptedClient, type Scripted } from './scripted-client.js';

const names = streamNames(null);
const all = names.filter(undefined);

describe('a subscription to an EventStoreDB', () => {
  it('passes on in order: no checkpoint, and no end of history, before the events that came first', async () => {
    const { client, subscriptions } = scriptedClient();
    const calls: string[] = [];
    const { stop } = subscribe(client, at(5), all.onServer!, {
      event: ({ commitPosition }) => calls.push(`event ${commitPosition}`),
      checkpoint: (position) => calls.push(`checkpoint ${Number(position)}`),
      caughtUp: () => calls.push('caught up'),
      failed: () => calls.push('failed'),
    });
    const [subscription] = subscriptions;
    for (const position of [6, 7, 8]) subscription!.event(position);
    const checkpoint = subscription!.checkpoint(9);
    subscription!.say('caughtUp');
    await checkpoint;
    await until('all', () => calls.length === 5);
    expect(calls.slice(0, 3)).to.deep.equal(['event 6', 'event 7', 'event 8']);
    expect(calls.slice(3).toSorted()).to.deep.equal(['caught up', 'checkpoint 9']);
    await stop();
    expect(subscription!.stopped).to.equal(true);
  });

  it('passes on nothing after it was stopped, not even its end', async () => {
    const { client, subscriptions } = scriptedClient();
    const calls: string[] = [];
    const record = (): unknown => calls.push('something');
    const { stop } = subscribe(client, at(5), all.onServer!, {
      event: record,
      checkpoint: record,
      caughtUp: record,
      failed: record,
    });
    const [subscription] = subscriptions;
    const stopping = stop();
    subscription!.event(6);
    await subscription!.checkpoint(7);
    subscription!.say('caughtUp');
    subscription!.say('error', new Error('too late'));
    await stopping;
    expect(calls).to.deep.equal([]);
  });
});

describe('the tail of the EventStoreDB log', () => {
  let subscriptions: Scripted[];
  let tail: Tail;
  let reported: unknown[];
  beforeEach(() => {
    reported = [];
    const scripted = scriptedClient();
    subscriptions = scripted.subscriptions;
    const connection = { client: () => Promise.resolve(scripted.client) } as Connection;
    const start = { position: at(10), covered: at(15) };
    tail = openTail({ connection, names, start, keep: 100, report: (error) => reported.push(error) });
  });
  afterEach(() => tail.close());

  const number = (index: number) => until(`subscription ${index}`, () => subscriptions[index] !== undefined);
  const read = () => tail.read(at(10), 100, all)?.events.map(({ position }) => Number(position));

  it('goes on after the last event that it passed on, after any error, and ends the old subscription at once', async () => {
    await number(0);
    expect(subscriptions[0]!.from).to.deep.equal({ commit: 15n, prepare: 15n });
    subscriptions[0]!.event(20);
    subscriptions[0]!.event(21);
    await until('the events', () => tail.count() === 2);
    subscriptions[0]!.say('error', Object.assign(new Error('too slow'), { type: 'timeout', code: 10 }));
    await number(1);
    expect(subscriptions[0]!.stopped).to.equal(true);
    expect(subscriptions[1]!.from).to.deep.equal({ commit: 21n, prepare: 21n });
    subscriptions[1]!.event(22);
    subscriptions[1]!.say('end');
    await number(2);
    await subscriptions[2]!.checkpoint(30);
    subscriptions[2]!.say('end');
    await number(3);
    expect(subscriptions[3]!.from).to.deep.equal({ commit: 30n, prepare: 30n });
    expect(tail.known()).to.deep.equal({ position: at(22), covered: at(30) });
    expect(read()).to.deep.equal([20, 21, 22]);
  });

  it('subscribes again when the log is known to have newer events and nothing comes', async () => {
    await number(0);
    const reached = tail.reached(at(20), performance.now() + 5_000);
    await number(1);
    expect(subscriptions[0]!.stopped).to.equal(true);
    subscriptions[0]!.event(19);
    subscriptions[1]!.event(20);
    await reached;
    expect(read()).to.deep.equal([20]);
  });

  it('gives each subscription time to begin, however many callers wait', async () => {
    await number(0);
    const end = performance.now() + 5_000;
    const reached: Promise<void>[] = [];
    const coming = setInterval(() => reached.push(tail.reached(at(20), end)), 20);
    try {
      await number(1);
      const began = performance.now();
      await number(2);
      expect(performance.now() - began).to.be.greaterThan(900);
    } finally {
      clearInterval(coming);
    }
    subscriptions[2]!.event(20);
    await Promise.all(reached);
  });

  it('reports that it cannot follow, once per period, though no caller waits', async () => {
    for (let index = 0; index < 3; index += 1) {
      await number(index);
      subscriptions[index]!.say('error', Object.assign(new Error('gone'), { code: 14 }));
    }
    await number(3);
    expect(reported).to.have.length(1);
    expect(reported[0]).to.include({ code: 'log_unavailable' });
  });

  it('fails the waits when nothing comes from the server for too long', async () => {
    const error = await tail.reached(at(20), performance.now() + 10).catch((error: unknown) => error);
    expect(error).to.include({ code: 'log_unavailable' });
  });
});
