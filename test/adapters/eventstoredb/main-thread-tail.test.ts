import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../src/adapters/eventstoredb/connection.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import { joinTail, type JoinedTail } from '../../../src/adapters/eventstoredb/join-tail.js';
import { serveTail } from '../../../src/adapters/eventstoredb/serve-tail.js';
import { serverSource } from '../../../src/adapters/eventstoredb/tail-source.js';
import { withFallback } from '../../../src/adapters/eventstoredb/with-fallback.js';
import { openTail, type Tail } from '../../../src/adapters/eventstoredb/tail.js';
import { until } from '../../contract/event-log/events.js';
import { at, scriptedClient, type Scripted } from './scripted-client.js';

const names = streamNames(null);
const all = names.filter(undefined);
const KEPT = 5;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

function scripted() {
  const { client, subscriptions } = scriptedClient();
  const source = serverSource({ client: () => Promise.resolve(client) } as Connection, names);
  const first = async (): Promise<Scripted> => {
    await until('a subscription', () => subscriptions[0] !== undefined);
    return subscriptions[0]!;
  };
  return { source, subscriptions, first };
}

describe('the tail of a process on EventStoreDB', () => {
  let channel: string;
  let main: Tail;
  let ofMain: Scripted;
  let stopServing: () => void;
  let opened: { joined: JoinedTail; tail: Tail }[];

  beforeEach(async () => {
    channel = randomUUID();
    const server = scripted();
    main = openTail(server.source, { position: at(10), covered: at(15) }, KEPT);
    stopServing = serveTail(channel, main);
    ofMain = await server.first();
    opened = [];
  });
  afterEach(async () => {
    stopServing();
    for (const { tail, joined } of opened) {
      await tail.close();
      joined.close();
    }
    await main.close();
  });

  /** The tail of another thread, and its own subscriptions to the server. */
  async function open() {
    const own = scripted();
    const joined = await joinTail(channel, names);
    const source = withFallback(joined.source, own.source, { startsPreferred: joined.start !== null });
    const start = joined.start ?? main.known();
    const thread = openTail(source, start, 100);
    opened.push({ joined, tail: thread });
    const read = () => thread.read(start.position, 100, all)?.events.map(({ position }) => Number(position));
    const reached = (position: number) => thread.reached(at(position), performance.now() + 5_000);
    return { own, thread, start, read, reached };
  }

  it('passes each event on once and in order, and how far it has read, without a subscription of the thread', async () => {
    ofMain.event(20);
    await until('the event', () => main.count() === 1);
    const { own, thread, start, read, reached } = await open();
    expect(start.position).to.equal(at(20));
    for (let position = 21; position <= 24; position += 1) {
      ofMain.event(position);
      await reached(position);
    }
    await ofMain.checkpoint(30);
    await until('the checkpoint', () => thread.known().covered === at(30));
    expect(read()).to.deep.equal([21, 22, 23, 24]);
    expect(thread.read(at(20), 1, all)!.events).to.deep.equal(main.read(at(20), 1, all)!.events);
    expect(own.subscriptions).to.have.length(0);
  });

  it('goes on where nothing happens for longer than a thread waits for a sign of life', async () => {
    const { own, read, reached } = await open();
    await pause(2_500);
    ofMain.event(20);
    await reached(20);
    expect(read()).to.deep.equal([20]);
    expect(own.subscriptions).to.have.length(0);
  });

  it('passes on all of a burst that is larger than what the main thread keeps, by the server, and then goes back to the main thread', async () => {
    const { own, read, reached } = await open();
    for (let position = 20; position < 40; position += 1) ofMain.event(position);
    const server = await own.first();
    // Again from where the thread was.
    expect(server.from).to.deep.equal({ commit: 15n, prepare: 15n });
    for (let position = 20; position < 40; position += 1) server.event(position);
    await reached(39);
    expect(read()).to.deep.equal(range(20, 39));
    await until('the way back', () => server.stopped);
    ofMain.event(40);
    await reached(40);
    expect(read()).to.deep.equal(range(20, 40));
    expect(own.subscriptions).to.have.length(1);
  });

  it('leaves a thread to the server for as long as it is behind what the main thread keeps', async () => {
    const { own, read, reached } = await open();
    for (let position = 20; position < 40; position += 1) ofMain.event(position);
    const server = await own.first();
    server.event(20);
    // Longer than the thread waits before it looks whether it can go back.
    await pause(1_500);
    expect(server.stopped).to.equal(false);
    for (let position = 21; position < 40; position += 1) server.event(position);
    await reached(39);
    expect(read()).to.deep.equal(range(20, 39));
    expect(own.subscriptions).to.have.length(1);
  });

  it('leaves a thread to the server while the main thread has closed the log, also where the thread only follows', async () => {
    const { own, thread, read, reached } = await open();
    ofMain.event(20);
    await reached(20);
    stopServing();
    const server = await own.first();
    expect(server.from).to.deep.equal({ commit: 20n, prepare: 20n });
    server.event(21);
    await until('the event', () => thread.count() === 2);
    await pause(1_500);
    expect(server.stopped).to.equal(false);
    stopServing = serveTail(channel, main);
    // Not back to a main thread that is behind.
    await pause(1_500);
    expect(server.stopped).to.equal(false);
    ofMain.event(21);
    await until('the way back', () => server.stopped);
    ofMain.event(22);
    await reached(22);
    expect(read()).to.deep.equal([20, 21, 22]);
  });

  it('goes on where both fail in turn', async () => {
    const { own, read, reached } = await open();
    stopServing();
    for (let position = 20; position < 23; position += 1) {
      await until('a subscription', () => own.subscriptions.length === position - 19);
      const server = own.subscriptions.at(-1)!;
      server.event(position);
      await reached(position);
      server.say('error', new Error('too slow'));
    }
    stopServing = serveTail(channel, main);
    for (let position = 20; position <= 23; position += 1) ofMain.event(position);
    await reached(23);
    expect(read()).to.deep.equal(range(20, 23));
  });

  it('is joined later where the main thread opens the log later', async () => {
    stopServing();
    const { own, read, reached } = await open();
    const server = await own.first();
    stopServing = serveTail(channel, main);
    await until('the way back', () => server.stopped);
    ofMain.event(20);
    await reached(20);
    expect(read()).to.deep.equal([20]);
  });

  it('gives each of two threads everything, also where two logs of the main thread answer', async () => {
    const other = scripted();
    const second = openTail(other.source, { position: at(10), covered: at(15) }, KEPT);
    const stopSecond = serveTail(channel, second);
    const ofSecond = await other.first();
    const threads = [await open(), await open()];
    for (let position = 20; position < 40; position += 1) {
      ofMain.event(position);
      ofSecond.event(position);
      for (const { reached } of threads) await reached(position);
    }
    for (const { own, read } of threads) {
      expect(read()).to.deep.equal(range(20, 39));
      expect(own.subscriptions).to.have.length(0);
    }
    stopSecond();
    await second.close();
  });
});
