/** Places for replays: they bound how many each key, each team and the process read at the same time. */
import { openFairSemaphore } from '../concurrency/fair-semaphore.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';

export type Holder = { key: string; team: string };

export type Places = {
  /**
   * Waits for a place, and returns the function that gives it back. A free place goes to the team that has the fewest.
   * @throws LedgerError `too_many_replays` after too long a wait, or where too many requests of the team wait.
   */
  enter(holder: Holder, signal?: AbortSignal): Promise<() => void>;
  /** As `enter`, but returns null where `enter` would throw. */
  tryEnter(holder: Holder, signal: AbortSignal): Promise<(() => void) | null>;
};

/**
 * Each form of the replay has places of its own: a stream keeps its place for as long as its reader likes. Histories of
 * single things have their own too, because people wait for them.
 */
export type ReplayPlaces = { pages: Places; streams: Places; live: Places; histories: Places };

type PlaceLimits = { perKey: number; perTeam: number; inAll: number };

/** Requests of one team that wait at the same time. */
const WAITING_PER_TEAM = 100;
const RETRY_AFTER_S = 5;

export function openReplayPlaces(): ReplayPlaces {
  const pages = {
    perKey: limits.replayPagesPerKey,
    perTeam: limits.replayPagesPerTeam,
    inAll: limits.replayPages,
  };
  return {
    pages: openPlaces('pages', pages),
    histories: openPlaces('histories', pages),
    streams: openPlaces('NDJSON streams', {
      perKey: limits.replayStreamsPerKey,
      perTeam: limits.replayStreamsPerTeam,
      inAll: limits.replayStreams,
    }),
    live: openPlaces('live streams', {
      perKey: limits.liveStreamsPerKey,
      perTeam: limits.liveStreamsPerTeam,
      inAll: limits.liveStreams,
    }),
  };
}

/** `waitMs` is for tests. */
export function openPlaces(
  name: string,
  { perKey, perTeam, inAll }: PlaceLimits,
  waitMs: number = limits.replayWaitMs,
): Places {
  const ofKeys = openFairSemaphore(Infinity, { perKey });
  const ofTeams = openFairSemaphore(inAll, { perKey: perTeam });
  const waiting = new Map<string, number>();
  const full = {
    key: `This key reads ${perKey} ${name} at the same time, which is the most.`,
    team: `This team reads ${perTeam} ${name} at the same time, which is the most, or the server sends as many as it can.`,
    waiting: `Too many requests of this team wait for ${name}.`,
  };

  /** First the share of the key, then that of its team: a wait for the first takes nothing from other keys. */
  async function acquire({ key, team }: Holder, signal?: AbortSignal) {
    const end = performance.now() + waitMs;
    const ofKey = await ofKeys.acquire(key, { withinMs: waitMs, signal });
    if (ofKey === null) return 'key';
    const ofTeam = await ofTeams.acquire(team, { withinMs: Math.max(0, end - performance.now()), signal });
    if (ofTeam === null) {
      ofKey();
      return 'team';
    }
    return () => {
      ofTeam();
      ofKey();
    };
  }

  async function acquireInLine(holder: Holder, signal?: AbortSignal) {
    const before = waiting.get(holder.team) ?? 0;
    if (before >= WAITING_PER_TEAM) return 'waiting';
    waiting.set(holder.team, before + 1);
    try {
      return await acquire(holder, signal);
    } finally {
      const left = (waiting.get(holder.team) ?? 0) - 1;
      if (left > 0) waiting.set(holder.team, left);
      else waiting.delete(holder.team);
    }
  }

  return {
    async enter(holder, signal) {
      const acquired = await acquireInLine(holder, signal);
      if (typeof acquired === 'function') return acquired;
      return fail('too_many_replays', full[acquired], { retryAfter: RETRY_AFTER_S });
    },
    async tryEnter(holder, signal) {
      const acquired = await acquireInLine(holder, signal);
      return typeof acquired === 'function' ? acquired : null;
    },
  };
}
