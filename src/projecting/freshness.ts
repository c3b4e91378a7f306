/**
 * Reading one's own writes: a GET waits until the views have reached the newest event of its own team, as a read
 * of the head begun after the GET came tells it. Another team's backlog delays nobody.
 */
import { logPosition, type Position } from '../domain/event.js';
import { ageMs, type Clock } from '../clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';
import { teamStreams } from '../domain/team-streams.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { limits } from '../limits.js';

/**
 * Waits at most `timeoutMs`; answers by how many milliseconds the views are behind for this team, 0 if not, and at
 * least by so many where that takes longer to find out.
 */
export type Freshness = (team: string) => Promise<number>;

export function openFreshness(options: {
  log: EventLog;
  views: ViewReader;
  projection: string;
  clock: Clock;
  timeoutMs?: number;
}): Freshness {
  const { log, views, projection, clock, timeoutMs = limits.readWaitMs } = options;
  // How far the views are known to have come: what lies before that, the log need not look through.
  let known: Position | null = null;
  return async (team) => {
    const end = performance.now() + timeoutMs;
    // From the start, the first GET would have the whole log searched for the newest event of its team.
    known ??= await views.position(projection);
    const head = await withTimeout(timeoutMs, log.head(team, logPosition(known)), () => null);
    if (head === null) return timeoutMs;
    const left = Math.max(1, end - performance.now());
    const reached = await views.position(projection, { atLeast: head, timeoutMs: left });
    known = reached;
    if (reached >= head) return 0;
    return withTimeout(LOOK_MS, lagOf(team, reached), () => timeoutMs);
  };

  /** Since the oldest event of the team that the views do not show. */
  async function lagOf(team: string, reached: Position): Promise<number> {
    const filter = { streams: teamStreams(team) };
    for (let after = logPosition(reached); ;) {
      const { events, position, caughtUp } = await log.readAll({ after, limit: 1, filter });
      const [oldest] = events;
      if (oldest !== undefined) return Math.max(1, ageMs(clock, oldest.meta.at));
      // A page may come back empty short of the end.
      if (caughtUp) return 0;
      after = position;
    }
  }
}

const LOOK_MS = 500;
