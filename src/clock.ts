/** The time, as it is written everywhere. */
import type { Instant } from './domain/event.js';

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export function instant(clock: Clock): Instant {
  return clock().toISOString();
}

export function addMilliseconds(at: Instant, milliseconds: number): Instant {
  return new Date(Date.parse(at) + milliseconds).toISOString();
}

/** Milliseconds since an instant; 0 for a future instant, because the clocks of nodes may differ. */
export function ageMs(clock: Clock, at: Instant): number {
  return Math.max(0, clock().getTime() - Date.parse(at));
}
