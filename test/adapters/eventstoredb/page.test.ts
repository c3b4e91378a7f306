import { expect } from 'chai';
import type { Connection } from '../../../src/adapters/eventstoredb/connection.js';
import { streamNames } from '../../../src/adapters/eventstoredb/names.js';
import { openPages, type PageReader } from '../../../src/adapters/eventstoredb/page.js';
import { until } from '../../contract/event-log.events.js';
import { at, scriptedClient, type Scripted } from './scripted-client.js';

const names = streamNames(null);
const all = names.filter(undefined);
const NEWEST = 100;

describe('pages of the EventStoreDB log', () => {
  let subscriptions: Scripted[];
  let pages: PageReader;
  beforeEach(() => {
    const scripted = scriptedClient();
    subscriptions = scripted.subscriptions;
    const attempt = ((_, limitMs, call) => call(scripted.client, limitMs)) as Connection['attempt'];
    pages = openPages({ attempt } as Connection, names);
  });
  afterEach(() => pages.close());

  const page = (after: number, limit = 2, filter = all) =>
    pages
      .read({ after: at(after), newest: at(NEWEST), limit, filter })
      .then(({ events, position, caughtUp }) => ({
        events: events.map((event) => Number(event.position)),
        position: Number(position),
        caughtUp,
      }));
  const opened = (count: number) => until(`${count} subscriptions`, () => subscriptions.length === count);
  const send = (subscription: Scripted, ...positions: number[]) => positions.forEach(subscription.event);

  /** The first page, of the events 6 and 7. */
  async function firstPage(): Promise<Scripted> {
    const first = page(5);
    await opened(1);
    send(subscriptions[0]!, 6, 7, 8, 9);
    expect(await first).to.deep.equal({ events: [6, 7], position: 7, caughtUp: false });
    return subscriptions[0]!;
  }

  it('go on in one subscription, without a gap and without a repeat, up to the newest event, and then end it', async () => {
    const subscription = await firstPage();
    expect(await page(7)).to.deep.equal({ events: [8, 9], position: 9, caughtUp: false });
    const last = page(9);
    send(subscription, NEWEST);
    expect(await last).to.deep.equal({ events: [NEWEST], position: NEWEST, caughtUp: true });
    await until('the end', () => subscription.stopped);
    expect(subscriptions).to.have.length(1);
  });

  it('begin another subscription at another position, or with another filter', async () => {
    const subscription = await firstPage();
    const other = page(6);
    await opened(2);
    const filtered = page(7, 2, names.filter({ types: ['RunCreated'] }));
    await opened(3);
    send(subscriptions[1]!, 7, 8);
    expect((await other).events).to.deep.equal([7, 8]);
    await subscriptions[2]!.checkpoint(NEWEST);
    expect(await filtered).to.deep.equal({ events: [], position: NEWEST, caughtUp: true });
    expect(subscription.stopped).to.equal(false);
  });

  it('never take the end of an earlier history for their own: events that came later would be left out', async () => {
    const subscription = await firstPage();
    subscription.say('caughtUp');
    expect(await page(7, 10)).to.deep.equal({ events: [8, 9], position: 9, caughtUp: false });
    const next = page(9, 10);
    await opened(2);
    expect(subscriptions[1]!.from).to.deep.equal({ commit: 9n, prepare: 9n });
    send(subscriptions[1]!, 10);
    subscriptions[1]!.say('caughtUp');
    expect(await next).to.deep.equal({ events: [10], position: NEWEST, caughtUp: true });
  });

  it('begin another subscription where the one that waited has failed', async () => {
    const subscription = await firstPage();
    subscription.say('error', new Error('too slow'));
    const next = page(7);
    await opened(2);
    expect(subscription.stopped).to.equal(true);
    send(subscriptions[1]!, 8, 9);
    expect((await next).events).to.deep.equal([8, 9]);
  });

  it('keep no more than 16 subscriptions waiting, and each for a few seconds only', async () => {
    for (let n = 0; n < 20; n += 1) {
      const some = page(5);
      // The one that waits for this position is at another one by then.
      await opened(n + 1);
      send(subscriptions[n]!, 6, 7);
      await some;
    }
    const running = () => subscriptions.filter(({ stopped }) => !stopped).length;
    expect(running()).to.equal(16);
    await until('the end of all', () => running() === 0);
  });

  it('end all that wait when the log is closed', async () => {
    const subscription = await firstPage();
    await pages.close();
    expect(subscription.stopped).to.equal(true);
  });
});
