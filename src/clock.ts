/** The time, as it is written everywhere. */
import type { Instant } from './domain/event.js';

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export function instant(clock: Clock): Instant {
  return clock().toISOString();
}

export function later(at: Instant, milliseconds: number): Instant {
  return new Date(Date.parse(at) + milliseconds).toISOString();
}
