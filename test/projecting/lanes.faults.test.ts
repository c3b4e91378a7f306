import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { ALL_PARTITIONS, partitionOf, without } from '../../src/domain/partition.js';
import { CHUNK_TYPE } from '../../src/domain/runs/item-chunk.js';
import { isAppError, AppError } from '../../src/errors.js';
import { openFoldFeed, type Feed } from '../../src/log/feed.js';
import type { ViewWriter } from '../../src/ports/views.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openLanes } from '../../src/projecting/lanes.js';
import { readStuck } from '../../src/projecting/stuck.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { embeddedStores, eventually } from '../stores.js';
import { caughtUp, expectViewsOfLog, startedProjector, writer } from './projector-setup.js';
import { at, happened, things } from './things.js';

describe('a commit of the front that fails while another lane is behind', () => {
  it('is reported, although the events of that lane cannot be read and it makes no move again', async () => {
    const [behind = ''] = ALL_PARTITIONS;
    let commits = 0;
    let getStuck: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => void (getStuck = resolve));
    const views = {
      load: async (_spec: unknown, _build: number, keys: readonly unknown[]) => keys.map(() => null),
      async commit() {
        commits += 1;
        throw new AppError('views_unavailable', 'the disk is full');
      },
    } as unknown as ViewWriter;
    const feed = {
      read: async () => Promise.reject(new Error('items are missing')),
      async *follow({ signal }) {
        // The lane makes no move from then on.
        await stuck;
        yield { events: [happened(2, 'a', 2)], position: at(2), caughtUp: true };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    } as Partial<Feed> as Feed;
    const lanes = openLanes({
      feed,
      fold: foldInto(things, views)({ build: 1, epoch: 1 }),
      checkpoints: [
        { partitions: without(ALL_PARTITIONS, behind), position: at(1), epoch: 1 },
        { partitions: behind, position: at(0), epoch: 1 },
      ],
      limit: 100,
      gatherMs: 0,
      report: ({ type }) => type === 'stuck' && getStuck(),
    });
    const fault = await lanes.follow(new AbortController().signal).catch((error: unknown) => error);
    expect(isAppError(fault, 'views_unavailable'), String(fault)).to.equal(true);
    expect(commits).to.equal(1);
  });
});

describe('a chunk with items of a newer version', () => {
  const stores = embeddedStores('each test');

  it('stops the partition of its team only, which says at which event', async () => {
    const ledger = openMemoryLedger();
    const submit = (team: string) => ledger.submit(ledger.project(team), [{}, {}]).run;
    // The ids of these teams end differently, so they are in two partitions.
    const [bad, good] = [submit(ledger.team()), submit(ledger.team())];
    expect(partitionOf(bad.team)).not.to.equal(partitionOf(good.team));
    await writer(stores.log)(ledger);
    const stream = `items-${bad.team}.${bad.id}`;
    const feed = openFoldFeed({
      ...stores.log,
      async readStream(name, options) {
        const page = await stores.log.readStream(name, options);
        const newer = (event: RecordedEvent) => ({
          ...event,
          data: { ...(event.data as object), item_version: 99 },
        });
        return name === stream ? { ...page, events: page.events.map(newer) } : page;
      },
    });
    const projector = startedProjector(stores, { feed });
    await projector.reported('stuck');
    await eventually('the other team goes on', async () => {
      return (await stores.reader.get(records, 'runs', [good.id]))[0] !== null;
    });
    await eventually('its record', async () => (await readStuck(stores.state, records.name)).length > 0);
    const [record] = await readStuck(stores.state, records.name);
    expect(record?.event).to.include({ type: CHUNK_TYPE, stream });
    await projector.stop();
    startedProjector(stores);
    await caughtUp(stores);
    await expectViewsOfLog(stores);
  });
});
