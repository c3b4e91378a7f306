import { expect } from 'chai';
import { openFeed } from '../../src/log/feed.js';
import { temporaryFolder } from '../adapters/sqlite/log.folder.js';
import { chunkedLog } from '../../src/log/chunked-log.js';
import { chunkEvents } from '../domain/item-chunks.js';
import { submittedItems } from '../domain/submission.js';
import { newEvent } from '../contract/event-log/events.js';

describe('the feed of a large submission', () => {
  const folder = temporaryFolder();

  it('lets other work run between its batches, so that a follower can be stopped', async () => {
    const log = chunkedLog(await folder.open());
    const items = 1_000;
    const stream = 'items-team_1.run_1';
    const results = Array.from({ length: items }, () => ({}));
    const facts = submittedItems({ run_id: 'run_1', project_id: 'project_1' }, results);
    await log.append(stream, 'none', chunkEvents(stream, facts, newEvent({}).meta));
    await log.append('run-team_1.run_1', 'none', [newEvent({ items }, 'RunCreated')]);
    const stop = new AbortController();
    // Like a message to the thread: it runs when the thread has nothing else to do.
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns >= 3) stop.abort();
    }, 0);
    let taken = 0;
    for await (const { events, caughtUp } of openFeed(log).follow({
      after: '',
      limit: 10,
      signal: stop.signal,
    })) {
      taken += events.length;
      // Work without a pause, such as a fold into a file.
      for (const end = performance.now() + 3; performance.now() < end;);
      if (caughtUp) break;
    }
    clearInterval(timer);
    expect(turns).to.be.at.least(3);
    expect(taken).to.be.within(10, items - 1);
  });
});
