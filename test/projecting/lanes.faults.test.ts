import { expect } from 'chai';
import { ALL_PARTITIONS, without } from '../../src/domain/partition.js';
import { isLedgerError, LedgerError } from '../../src/errors.js';
import type { Feed } from '../../src/log/feed.js';
import type { ViewWriter } from '../../src/ports/views.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openLanes } from '../../src/projecting/lanes.js';
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
        throw new LedgerError('views_unavailable', 'the disk is full');
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
    expect(isLedgerError(fault, 'views_unavailable'), String(fault)).to.equal(true);
    expect(commits).to.equal(1);
  });
});
