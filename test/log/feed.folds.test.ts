import { expect } from 'chai';
import { START, type Position, type RecordedEvent } from '../../src/domain/event.js';
import { isChunk, weightOf, weightOfAll } from '../../src/domain/runs/item-chunk.js';
import { openFeed, openFoldFeed, type Feed } from '../../src/log/feed.js';
import { eachItem } from '../../src/log/item-events.js';
import { embeddedStores, givenCall, givenRun, givenSubmission } from '../stores.js';
import { pagesOf } from './feed-pages.js';

describe('the feed for folds', () => {
  const stores = embeddedStores('each test');
  const items = (count: number) => Array.from({ length: count }, (_, n) => ({ test_name: `test ${n}` }));

  async function given() {
    const { log } = stores;
    const made = await givenRun(log);
    await givenSubmission(log, made, items(11));
    await givenSubmission(log, made, items(3), { takesEffect: false });
    await givenCall(log, made, items(7));
    await givenSubmission(log, made, items(1_200));
    return { folds: openFoldFeed(log), all: await eventsOf(openFeed(log), 10_000) };
  }

  async function eventsOf(feed: Feed, limit: number, after?: Position): Promise<RecordedEvent[]> {
    return (await pagesOf(feed, { limit, after })).flatMap(({ events }) => events);
  }

  it('has the chunks of items as one event each, at the position of their last item', async () => {
    const { folds, all } = await given();
    const events = await eventsOf(folds, 10_000);
    const chunks = events.filter(isChunk);
    expect(chunks.map(weightOf)).to.include.members([500, 200]);
    expect(events.length - chunks.length + weightOfAll(chunks)).to.equal(all.length);
    for (const { position } of events) expect(all.map((each) => each.position)).to.include(position);
    expect(events.flatMap(eachItem)).to.deep.equal(all);
  });

  for (const limit of [1, 2, 5, 300, 1_000]) {
    it(`is the same in pages of ${limit}, which count the items and never end inside a chunk`, async () => {
      const { folds, all } = await given();
      const pages = await pagesOf(folds, { limit });
      expect(pages.flatMap(({ events }) => events).flatMap(eachItem)).to.deep.equal(all);
      for (const { events } of pages) {
        const longest = Math.max(0, ...events.map(weightOf));
        expect(weightOfAll(events)).to.be.below(limit + longest + 1);
      }
      const stop = new AbortController();
      const followed: RecordedEvent[] = [];
      for await (const batch of folds.follow({ after: START, limit, signal: stop.signal })) {
        followed.push(...batch.events);
        expect(batch.events.length === 1 || weightOfAll(batch.events) <= limit).to.equal(true);
        if (batch.caughtUp) stop.abort();
      }
      expect(followed.flatMap(eachItem)).to.deep.equal(all);
    });
  }

  it('goes on after any position, also after one inside a chunk', async () => {
    const { folds, all } = await given();
    for (let at = 0; at < all.length; at += at < 40 ? 1 : 97) {
      const rest = await eventsOf(folds, 1_000, all[at]!.position);
      expect(rest.flatMap(eachItem)).to.deep.equal(all.slice(at + 1));
    }
  });
});
