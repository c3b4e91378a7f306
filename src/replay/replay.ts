/** The replay: a team's events from the log itself, from any position, in pages, to the end of the log, or live. */
import { openTurns } from '../concurrency/turns.js';
import type { Position } from '../domain/event.js';
import { openFeed } from '../log/feed.js';
import type { EventLog } from '../ports/event-log.js';
import { openLiveFeeds, type RenderEvent } from './live-feed.js';
import { readPage, type ReplayPage } from './page.js';
import { checkPosition } from './positions.js';
import type { ReplayScope } from './scope.js';
import { followLive, readToEnd, type LiveOptions, type ReadOptions, type ReplayChunk } from './stream.js';

export type Replay = {
  /** Checks a position that a client sent. @throws AppError `not_a_position` */
  position(team: string, text: string): Promise<Position>;
  /** May return fewer than `limit` events before the end: the work for one page is bounded. */
  page(scope: ReplayScope, options: { after: Position; limit: number }): Promise<ReplayPage>;
  /** Up to the end of the log. */
  readToEnd(scope: ReplayScope, options: ReadOptions): AsyncIterable<ReplayChunk>;
  /** Up to the end of the log, and then live. */
  follow(scope: ReplayScope, options: LiveOptions): AsyncIterable<ReplayChunk>;
};

/** `renderLive` makes the text of an event for live readers. */
export function openReplay(log: EventLog, renderLive: RenderEvent): Replay {
  const source = { feed: openFeed(log), turns: openTurns() };
  const feeds = openLiveFeeds(source.feed, renderLive);
  return {
    position: (team, text) => checkPosition(log, team, text),
    page: (scope, options) => readPage(source, scope, options),
    readToEnd: (scope, options) => readToEnd(source, scope, options),
    follow: (scope, options) => followLive(source, feeds, scope, options),
  };
}
