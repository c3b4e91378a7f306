/**
 * Read your own writes: a GET waits until the views have reached the newest event of its own team. The log is asked for
 * that event after the GET has come. The views have a position for each partition, so the backlog of a team in another
 * partition delays no GET.
 */
import { logPosition, type Position } from '../domain/event.js';
import { ageMs, type Clock } from '../clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';
import { partitionOf, type Partition } from '../domain/partition.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { isAppError } from '../errors.js';
import { limits } from '../limits.js';

/**
 * Waits for at most `timeoutMs`. Returns by how many milliseconds the views are behind for this team, or 0 if they are
 * not. When that takes too long to find out, it returns `timeoutMs`, and the views may be further behind.
 */
export type Freshness = (team: string) => Promise<number>;

/**
 * `records`: projects, runs, results, artifacts and webhooks. `history`: tests, their histories, failures, comparisons and
 * the outbox. Each has a checkpoint of its own.
 */
export type ReadModel = 'records' | 'history';
export type FreshnessOf = Readonly<Record<ReadModel, Freshness>>;

/**
 * The waits of one request, which waits for each read model once. Each returns false where one is behind, and `seen`
 * gets by how much.
 */
export function waitsOf(freshness: FreshnessOf, team: string, seen: (lagMs: number) => void) {
  const lags = new Map<ReadModel, Promise<number>>();
  const lagOf = (model: ReadModel): Promise<number> => {
    const lag = lags.get(model) ?? freshness[model](team);
    lags.set(model, lag);
    return lag;
  };
  return async (...models: ReadModel[]): Promise<boolean> => {
    const waits = models.map(lagOf);
    const lag = waits.length === 1 ? await waits[0]! : Math.max(...(await Promise.all(waits)));
    seen(lag);
    return lag === 0;
  };
}

export function openFreshness(options: {
  log: EventLog;
  views: ViewReader;
  projection: string;
  clock: Clock;
  timeoutMs?: number;
}): Freshness {
  const { log, views, projection, clock, timeoutMs = limits.readWaitMs } = options;
  // The views are known to have reached these positions, so the log need not search before them.
  const known = new Map<Partition, Position>();
  return async (team) => {
    const end = performance.now() + timeoutMs;
    const partition = partitionOf(team);
    // Without it, the first GET would search the whole log for the newest event of its team.
    const since = known.get(partition) ?? (await views.position(projection, { partition }));
    const head = await withTimeout(timeoutMs, log.head(team, logPosition(since)), () => null);
    if (head === null) return timeoutMs;
    const left = Math.max(1, end - performance.now());
    const reached = await views.position(projection, { partition, atLeast: head, timeoutMs: left });
    known.set(partition, reached);
    if (reached >= head) return 0;
    const lag = lagOf(team, reached).catch((error: unknown) => {
      // The projection stands before an event of a newer version: its views are shown as they are.
      if (isAppError(error, 'unknown_event')) return timeoutMs;
      throw error;
    });
    return withTimeout(LAG_WITHIN_MS, lag, () => timeoutMs);
  };

  /** Milliseconds since the oldest event of the team that the views do not show. */
  async function lagOf(team: string, reached: Position): Promise<number> {
    const filter = { streams: teamStreams(team) };
    for (let after = logPosition(reached); ;) {
      const { events, position, caughtUp } = await log.readAll({ after, limit: 1, filter });
      const [oldest] = events;
      if (oldest !== undefined) return Math.max(1, ageMs(clock, oldest.meta.at));
      // A page may be empty before the end of the log.
      if (caughtUp) return 0;
      after = position;
    }
  }
}

/** To find the oldest event that the views do not show. */
const LAG_WITHIN_MS = 500;
