import { expect } from 'chai';
import { openFeed } from '../../src/log/feed.js';
import { temporaryFolder } from '../adapters/sqlite/log.folder.js';
import { newEvent, newEvents } from '../contract/event-log.events.js';

describe('the feed of a large submission', () => {
  const folder = temporaryFolder();

  it('lets others have their turn between its batches, so that who follows it can be told to end', async () => {
    const log = await folder.open();
    const items = 1_000;
    await log.append('items-team_1.run_1', 'none', newEvents(items, 'ResultSubmitted'));
    await log.append('run-team_1.run_1', 'none', [newEvent({ items }, 'RunCreated')]);
    const stop = new AbortController();
    // As a message would: it comes when the thread has nothing else to do.
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) stop.abort();
    }, 0);
    let taken = 0;
    for await (const { events, caughtUp } of openFeed(log).follow({
      after: '',
      limit: 10,
      signal: stop.signal,
    })) {
      taken += events.length;
      // Work that waits for nothing, as folding into a file does.
      for (const end = performance.now() + 3; performance.now() < end;);
      if (caughtUp) break;
    }
    clearInterval(timer);
    expect(turns).to.equal(3);
    expect(taken).to.be.within(10, items - 1);
  });
});
