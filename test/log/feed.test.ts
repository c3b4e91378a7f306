import { expect } from 'chai';
import { openFeed } from '../../src/log/feed.js';
import type { Batch } from '../../src/ports/event-log.js';
import type { Position } from '../../src/domain/event.js';
import { newEvents } from '../contract/event-log/events.js';
import { eventually } from '../stores.js';
import { temporaryFolder } from '../adapters/sqlite/log.folder.js';

describe('the feed', () => {
  const folder = temporaryFolder();

  /** A run, items (also of a submission that never took effect), and another run. */
  async function given() {
    const log = await folder.open();
    await log.append('run-team_1.run_1', 'none', newEvents(2));
    await log.append('items-team_1.run_2', 'none', newEvents(500));
    await log.append('items-team_2.run_3', 'none', newEvents(1));
    await log.append('run-team_1.run_2', 'none', newEvents(1));
    const end = (await log.append('items-team_1.run_4', 'none', newEvents(3))).position;
    return { log, feed: openFeed(log), end };
  }

  const streams = (batches: readonly Batch[]) =>
    batches.flatMap(({ events }) => events).map(({ stream }) => stream);
  const seen = ['run-team_1.run_1', 'run-team_1.run_1', 'run-team_1.run_2'];

  it('skips items at their places, and its position moves on over them', async () => {
    const { feed, end } = await given();
    const batch = await feed.read({ after: '', limit: 1_000 });
    expect(streams([batch])).to.deep.equal(seen);
    expect(batch).to.include({ position: end, caughtUp: true });
  });

  for (const limit of [1, 2, 100]) {
    it(`is the same in pages of ${limit}, and comes to the end`, async () => {
      const { feed, end } = await given();
      const pages: Batch[] = [];
      let after: Position = '';
      while (pages.at(-1)?.caughtUp !== true) {
        const page = await feed.read({ after, limit });
        expect(page.position > after).to.equal(true);
        after = page.position;
        pages.push(page);
      }
      expect(streams(pages)).to.deep.equal(seen);
      expect(after).to.equal(end);
    });
  }

  it('skips items also when it is followed, old and new', async () => {
    const { log, feed } = await given();
    const stop = new AbortController();
    const batches: Batch[] = [];
    const following = (async () => {
      for await (const batch of feed.follow({ after: '', signal: stop.signal })) batches.push(batch);
    })();
    await eventually('it has caught up', () => batches.at(-1)?.caughtUp === true);
    await log.append('items-team_1.run_5', 'none', newEvents(2));
    const { position } = await log.append('run-team_1.run_5', 'none', newEvents(1));
    await eventually('it has the new ones', () => (batches.at(-1)?.position ?? '') >= position);
    stop.abort();
    await following;
    expect(streams(batches)).to.deep.equal([...seen, 'run-team_1.run_5']);
  });
});
