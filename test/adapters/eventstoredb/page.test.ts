import { expect } from 'chai';
import type { Connection } from '../../../src/adapters/eventstoredb/connection.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import { openPages, type PageReader } from '../../../src/adapters/eventstoredb/page.js';
import { until } from '../../contract/event-log/events.js';
import { at, scriptedClient, type Scripted } from './scripted-client.js';

const names = streamNames(null);
const all = names.filter(undefined);
const SIZE = 50;
const NEWEST = 1_000;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('pages of the EventStoreDB log', () => {
  let subscriptions: Scripted[];
  let pages: PageReader;
  beforeEach(() => {
    const scripted = scriptedClient();
    subscriptions = scripted.subscriptions;
    const read = ((limitMs, call) => call(scripted.client, limitMs)) as Connection['read'];
    pages = openPages({ read } as Connection, names);
  });
  afterEach(() => pages.close());

  const page = (after: number, limit = SIZE, filter = all) =>
    pages
      .read({ after: at(after), newest: at(NEWEST), limit, filter })
      .then(({ events, position, caughtUp }) => ({
        events: events.map((event) => Number(event.position)),
        position: Number(position),
        caughtUp,
      }));
  const opened = (count: number) => until(`${count} subscriptions`, () => subscriptions.length === count);
  const send = (subscription: Scripted, positions: readonly number[]) =>
    positions.forEach(subscription.event);

  /** The first page, of the events 1 to 50. The events 51 to 100 have been sent too. */
  async function firstPage(): Promise<Scripted> {
    const first = page(0);
    await opened(1);
    send(subscriptions[0]!, range(1, 100));
    expect(await first).to.deep.equal({ events: range(1, 50), position: 50, caughtUp: false });
    return subscriptions[0]!;
  }

  it('go on in one subscription, without a gap and without a repeat, up to the newest event, and then end it', async () => {
    const subscription = await firstPage();
    expect(await page(50)).to.deep.equal({ events: range(51, 100), position: 100, caughtUp: false });
    const last = page(100);
    send(subscription, [NEWEST]);
    expect(await last).to.deep.equal({ events: [NEWEST], position: NEWEST, caughtUp: true });
    await until('the end', () => subscription.stopped);
    expect(subscriptions).to.have.length(1);
  });

  it('begin another subscription at another position, or with another filter', async () => {
    const subscription = await firstPage();
    const other = page(49);
    await opened(2);
    const filtered = page(50, SIZE, names.filter({ types: ['RunCreated'] }));
    await opened(3);
    send(subscriptions[1]!, range(50, 99));
    expect((await other).events).to.deep.equal(range(50, 99));
    await subscriptions[2]!.checkpoint(NEWEST);
    expect(await filtered).to.deep.equal({ events: [], position: NEWEST, caughtUp: true });
    expect(subscription.stopped).to.equal(false);
  });

  it('never take the end of an earlier history for their own: events that came later would be left out', async () => {
    const subscription = await firstPage();
    subscription.say('caughtUp');
    expect(await page(50, 100)).to.deep.equal({ events: range(51, 100), position: 100, caughtUp: false });
    const next = page(100);
    await opened(2);
    expect(subscriptions[1]!.from).to.deep.equal({ commit: 100n, prepare: 100n });
    send(subscriptions[1]!, [101]);
    subscriptions[1]!.say('caughtUp');
    expect(await next).to.deep.equal({ events: [101], position: NEWEST, caughtUp: true });
  });

  it('take nothing more from the server between two pages, and lose no checkpoint', async () => {
    const subscription = await firstPage();
    let taken = false;
    const checkpoint = subscription.checkpoint(120).then(() => (taken = true));
    expect((await page(50)).events).to.deep.equal(range(51, 100));
    expect(taken).to.equal(false);
    const next = page(100);
    await checkpoint;
    send(subscription, [NEWEST]);
    expect((await next).events).to.deep.equal([NEWEST]);
  });

  it('begin another subscription where the one that waited has failed', async () => {
    const subscription = await firstPage();
    subscription.say('error', new Error('too slow'));
    const next = page(50);
    await opened(2);
    expect(subscription.stopped).to.equal(true);
    send(subscriptions[1]!, range(51, 100));
    expect((await next).events).to.deep.equal(range(51, 100));
  });

  it('give what a subscription still held that has ended while it waited, and then begin another', async () => {
    const subscription = await firstPage();
    subscription.finish();
    expect((await page(50, 60)).events).to.deep.equal(range(51, 100));
    const next = page(100);
    await opened(2);
    send(subscriptions[1]!, [NEWEST]);
    expect((await next).events).to.deep.equal([NEWEST]);
  });

  it('end their subscription at once where they are small: their callers do not go on', async () => {
    const one = page(0, 1);
    await opened(1);
    send(subscriptions[0]!, [1, 2]);
    expect((await one).events).to.deep.equal([1]);
    await until('the end', () => subscriptions[0]!.stopped);
  });

  it('keep no more than eight subscriptions waiting, and each for a few seconds only', async () => {
    for (let n = 0; n < 20; n += 1) {
      const some = page(0);
      // The one that waits for this position is at another one by then.
      await opened(n + 1);
      send(subscriptions[n]!, range(1, 50));
      await some;
    }
    const running = () => subscriptions.filter(({ stopped }) => !stopped).length;
    expect(running()).to.equal(8);
    await until('the end of all', () => running() === 0);
  });

  it('end all that wait when the log is closed', async () => {
    const subscription = await firstPage();
    await pages.close();
    expect(subscription.stopped).to.equal(true);
  });
});
