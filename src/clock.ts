/** The time, as it is written everywhere. */
import type { Instant } from './domain/event.js';

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** The second of the last instant, and its text up to the milliseconds: each request asks for the time. */
let second = NaN;
let textOfSecond = '';

export function instant(clock: Clock): Instant {
  const at = clock().getTime();
  const milliseconds = at - Math.floor(at / 1_000) * 1_000;
  if (at - milliseconds !== second) {
    second = at - milliseconds;
    textOfSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
  }
  return `${textOfSecond}${String(milliseconds).padStart(3, '0')}Z`;
}

export function addMilliseconds(at: Instant, milliseconds: number): Instant {
  return new Date(Date.parse(at) + milliseconds).toISOString();
}

const DAY_MS = 86_400_000;

/** Days of 24 hours. */
export function addDays(at: Instant, days: number): Instant {
  return addMilliseconds(at, days * DAY_MS);
}

/** Milliseconds since an instant; 0 for a future instant, because the clocks of nodes may differ. */
export function ageMs(clock: Clock, at: Instant): number {
  return Math.max(0, clock().getTime() - Date.parse(at));
}
