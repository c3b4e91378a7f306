import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { Connection } from '../../../src/adapters/eventstoredb/connection.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import { joinTail, serveTail, type JoinedTail } from '../../../src/adapters/eventstoredb/process-tail.js';
import { preferring, fromServer } from '../../../src/adapters/eventstoredb/tail-source.js';
import { openTail, type Tail } from '../../../src/adapters/eventstoredb/tail.js';
import { until } from '../../contract/event-log.events.js';
import { at, scriptedClient, type Scripted } from './scripted-client.js';

const names = streamNames(null);
const all = names.filter(undefined);
const KEPT = 5;

function scripted() {
  const { client, subscriptions } = scriptedClient();
  const source = fromServer({ client: () => Promise.resolve(client) } as Connection, names);
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
  let joined: JoinedTail | null;
  let thread: Tail | null;

  beforeEach(async () => {
    channel = randomUUID();
    const server = scripted();
    main = openTail(server.source, { position: at(10), covered: at(15) }, KEPT);
    stopServing = serveTail(channel, main);
    ofMain = await server.first();
    joined = thread = null;
  });
  afterEach(async () => {
    stopServing();
    await thread?.close();
    joined?.close();
    await main.close();
  });

  /** The tail of another thread, and its own subscriptions to the server. */
  async function open() {
    const own = scripted();
    const found = await joinTail(channel, names);
    joined = found;
    thread = openTail(preferring(found!.source, own.source), found!.start, 100);
    const started = Number(found!.start.position);
    const read = () => thread!.read(at(started), 100, all)?.events.map(({ position }) => Number(position));
    return { own, thread, started, read };
  }

  it('passes each event on once and in order, and how far it has read, without a subscription of the thread', async () => {
    ofMain.event(20);
    await until('the event', () => main.count() === 1);
    const { own, thread, started, read } = await open();
    expect(started).to.equal(20);
    for (let position = 21; position <= 24; position += 1) {
      ofMain.event(position);
      await thread.reached(at(position), performance.now() + 1_000);
    }
    await ofMain.checkpoint(30);
    await until('the checkpoint', () => thread.known().covered === at(30));
    expect(read()).to.deep.equal([21, 22, 23, 24]);
    expect(thread.read(at(20), 1, all)!.events).to.deep.equal(main.read(at(20), 1, all)!.events);
    expect(own.subscriptions).to.have.length(0);
  });

  it('passes on all of a burst that is larger than what the main thread keeps, by the server, and then goes back to the main thread', async () => {
    const { own, thread, read } = await open();
    for (let position = 20; position < 40; position += 1) ofMain.event(position);
    const server = await own.first();
    // Again from where the thread was.
    expect(server.from).to.deep.equal({ commit: 15n, prepare: 15n });
    for (let position = 20; position < 40; position += 1) server.event(position);
    await thread.reached(at(39), performance.now() + 1_000);
    expect(read()).to.deep.equal(Array.from({ length: 20 }, (_, n) => 20 + n));
    await until('the way back', () => server.stopped);
    ofMain.event(40);
    await thread.reached(at(40), performance.now() + 1_000);
    expect(read()!.at(-1)).to.equal(40);
    expect(own.subscriptions).to.have.length(1);
  });

  it('leaves the thread to the server when the main thread is silent', async () => {
    const { own, thread, read } = await open();
    ofMain.event(20);
    await thread.reached(at(20), performance.now() + 1_000);
    stopServing();
    const reached = thread.reached(at(21), performance.now() + 5_000);
    const server = await own.first();
    expect(server.from).to.deep.equal({ commit: 20n, prepare: 20n });
    server.event(21);
    await reached;
    expect(read()).to.deep.equal([20, 21]);
  });

  it('is not joined where the main thread has not opened the log', async () => {
    expect(await joinTail(randomUUID(), names)).to.equal(null);
  });
});
