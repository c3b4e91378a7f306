import { expect } from 'chai';
import { START, type Position } from '../../src/domain/event.js';
import type { Feed } from '../../src/log/feed.js';
import type { Batch, EventFilter } from '../../src/ports/event-log.js';

/** Reads a feed to its end. Expects that each page goes on. */
export async function pagesOf(
  feed: Feed,
  {
    limit,
    after = START,
    filter,
  }: { limit: number; after?: Position | undefined; filter?: EventFilter | undefined },
): Promise<Batch[]> {
  const pages: Batch[] = [];
  for (let from = after; pages.at(-1)?.caughtUp !== true;) {
    const page = await feed.read({ after: from, limit, ...(filter && { filter }) });
    expect(page.position > from || page.caughtUp, `${page.position} after ${from}`).to.equal(true);
    from = page.position;
    pages.push(page);
  }
  return pages;
}
