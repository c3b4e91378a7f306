/**
 * How the submissions of each team ended, by hour: for people who look for runs that did not arrive. The counts are in
 * memory, so they are those since the start of this process, with those of the other processes of its server; the log
 * holds what was accepted.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.js';
import { unshared, type SharedPoints } from '../../concurrency/shared-points.js';
import { errors, isAppError, type ErrorCode } from '../../errors.js';

export type UploadOutcome = 'accepted' | ErrorCode;

/** `hour`: its first instant. */
export type UploadCount = { hour: string; outcome: UploadOutcome; count: number };

export type UploadCounts = {
  /** Counts a submission by how `work` ends, and ends as it does. */
  counting<T>(team: string, work: () => Promise<T>): Promise<T>;
  /** Those of the last 24 hours, the newest hour first. */
  of(team: string): UploadCount[];
};

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** The teams that uploaded last. A team has up to 25 hours, and an hour as many counts as there are error codes. */
const MOST_TEAMS = 1_000;

function isOutcome(text: string): text is UploadOutcome {
  return text === 'accepted' || Object.hasOwn(errors, text);
}

/** `shared`: with the other processes that count for the same teams. */
export function openUploadCounts(clock: Clock, shared: SharedPoints = unshared): UploadCounts {
  const teams = new LRUCache<string, Map<number, Map<UploadOutcome, number>>>({ max: MOST_TEAMS });
  const hourNow = () => Math.floor(clock().getTime() / HOUR_MS);

  function add(team: string, outcome: UploadOutcome, count = 1): void {
    const now = hourNow();
    const hours = teams.get(team) ?? new Map<number, Map<UploadOutcome, number>>();
    teams.set(team, hours);
    for (const hour of hours.keys()) if (hour <= now - HOURS) hours.delete(hour);
    const counts = hours.get(now) ?? new Map<UploadOutcome, number>();
    hours.set(now, counts.set(outcome, (counts.get(outcome) ?? 0) + count));
  }

  function addOwn(team: string, outcome: UploadOutcome): void {
    add(team, outcome);
    shared.taken(`${team} ${outcome}`, 1);
  }

  shared.onTakenElsewhere((key, count) => {
    const [team = '', outcome = ''] = key.split(' ');
    // A newer server may have outcomes that this one cannot show.
    if (count > 0 && isOutcome(outcome)) add(team, outcome, count);
  });

  return {
    async counting(team, work) {
      try {
        const result = await work();
        addOwn(team, 'accepted');
        return result;
      } catch (error) {
        addOwn(team, isAppError(error) ? error.code : 'internal');
        throw error;
      }
    },
    of(team) {
      const now = hourNow();
      return [...(teams.get(team) ?? [])]
        .filter(([hour]) => hour > now - HOURS)
        .toSorted(([a], [b]) => b - a)
        .flatMap(([hour, counts]) =>
          [...counts].map(([outcome, count]) => ({
            hour: new Date(hour * HOUR_MS).toISOString(),
            outcome,
            count,
          })),
        );
    },
  };
}
