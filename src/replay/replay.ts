/** The replay: a team's events from the log itself, from any position, in pages, to the present, or live. */
import type { Position } from '../domain/event.js';
import { openFeed } from '../log/feed.js';
import type { EventLog } from '../ports/event-log.js';
import { follow, toPresent, type Chunk, type Following, type Live } from './follow.js';
import { openLiveTeams } from './live.js';
import { readPage, type ReplayPage } from './page.js';
import { checkPosition } from './positions.js';
import type { View } from './view.js';

export type Replay = {
  /** The position that a client sent. @throws LedgerError `not_a_position` */
  position(team: string, text: string): Promise<Position>;
  /** Fewer than `limit` come back also short of the end: a page looks at so much and no more. */
  page(view: View, options: { after: Position; limit: number }): Promise<ReplayPage>;
  /** To the end of the log as it is met. */
  toPresent(view: View, options: Following): AsyncIterable<Chunk>;
  /** To the end of the log, and on. */
  follow(view: View, options: Live): AsyncIterable<Chunk>;
};

export function openReplay(log: EventLog): Replay {
  const feed = openFeed(log);
  const teams = openLiveTeams(feed);
  return {
    position: (team, text) => checkPosition(log, team, text),
    page: (view, options) => readPage(feed, view, options),
    toPresent: (view, options) => toPresent(feed, view, options),
    follow: (view, options) => follow(feed, teams, view, options),
  };
}
