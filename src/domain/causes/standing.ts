/**
 * How a cause stands: a group of failures as something that people work on. It is fixed when somebody says so, or when it
 * has stayed away for longer than ever before while runs went on. If it fails after that, it came back.
 */
import { addMilliseconds } from '../../clock.js';
import { latest } from '../instant.js';
import type { Instant } from '../event.js';

export type Standing = {
  state: 'open' | 'fixed' | 'came_back';
  /** When this state began. */
  since: Instant;
  last_failed_at: Instant;
  /** The longest time between two of its failures, by the times at which they ran. */
  longest_away_ms: number;
};

/** `known`: it is not fixed, and somebody knows of its tests. */
export type CauseState = Standing['state'] | 'known';

/**
 * A cause stays away for longer than this before it is fixed: a night or a weekend without runs fixes nothing.
 */
const LEAST_AWAY_MS = 72 * 3_600_000;

/** `at`: when it ran. A failure that ran before the last one, as of an import, changes nothing: what is known of it stays. */
export function afterFailure(before: Standing | null, at: Instant): Standing {
  if (before === null) return { state: 'open', since: at, last_failed_at: at, longest_away_ms: 0 };
  const { state, since, last_failed_at, longest_away_ms } = before;
  if (at <= last_failed_at) return before;
  const away = Date.parse(at) - Date.parse(last_failed_at);
  const next = { last_failed_at: at, longest_away_ms: Math.max(longest_away_ms, away) };
  const isBack = state === 'fixed' && at > since;
  return isBack ? { state: 'came_back', since: at, ...next } : { state, since, ...next };
}

/** A run that ends later than this finds that the cause is fixed. */
export function dueAt({ last_failed_at, longest_away_ms, since, state }: Standing): Instant {
  const due = addMilliseconds(last_failed_at, Math.max(longest_away_ms, LEAST_AWAY_MS));
  // Somebody has opened it: they expect it to be watched from then on.
  return state === 'open' ? latest(due, addMilliseconds(since, LEAST_AWAY_MS)) : due;
}

/** No cause that fails at this time is due earlier, whatever it was before. */
export function earliestDue(failedAt: Instant): Instant {
  return addMilliseconds(failedAt, LEAST_AWAY_MS);
}

/** `at`: when a run of the project ended in which it did not fail. */
export function afterRun(before: Standing, at: Instant): Standing {
  return before.state === 'fixed' || at <= dueAt(before) ? before : { ...before, state: 'fixed', since: at };
}

/** Somebody says that it is fixed, or that it is open. */
export function afterWord(before: Standing, state: 'open' | 'fixed', at: Instant): Standing {
  return before.state === state ? before : { ...before, state, since: at };
}

/** Nothing happens later than it is recorded, whatever the clock of a client says. */
export function noLaterThan(at: Instant, recorded: Instant): Instant {
  return at < recorded ? at : recorded;
}
