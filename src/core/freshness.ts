/**
 * Reading one's own writes: a GET waits until the views have reached the newest event of its own team, as a read
 * of the head begun after the GET came tells it. Another team's backlog delays nobody.
 */
import { START } from '../domain/event.js';
import type { Clock } from './clock.js';
import type { EventLog, ViewReader } from './ports.js';
import { teamStreams } from './streams.js';

/** Waits at most `timeoutMs`; answers by how many milliseconds the views are behind for this team, 0 if not. */
export type Freshness = (team: string) => Promise<number>;

export function openFreshness(options: {
  log: EventLog;
  views: ViewReader;
  projection: string;
  clock: Clock;
  timeoutMs?: number;
}): Freshness {
  const { log, views, projection, clock, timeoutMs = 2_000 } = options;
  // How far the views are known to have come: what lies before that, the log need not look up.
  let known = START;
  return async (team) => {
    // Else the first GET of each team after a start would wait until the whole log is searched for its newest event.
    if (known === START) known = await views.position(projection);
    const head = await log.head(team, known);
    const reached = await views.position(projection, { atLeast: head, timeoutMs });
    known = reached;
    if (reached >= head) return 0;
    const filter = { streams: teamStreams(team) };
    for (let after = reached; ;) {
      const { events, position, caughtUp } = await log.readAll({ after, limit: 1, filter });
      const [oldest] = events;
      if (oldest !== undefined) return Math.max(1, clock().getTime() - Date.parse(oldest.meta.at));
      // A page may come back empty short of the end.
      if (caughtUp) return 0;
      after = position;
    }
  };
}
