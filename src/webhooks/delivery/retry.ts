/** When to try again. */
import { DateTime } from 'luxon';
import { deliveryPausesMs } from '../../limits.js';

const SECOND = 1_000;
const LONGEST_MS = 24 * 3_600 * SECOND;

/** Milliseconds to wait after so many attempts; null where there is no other. */
export type Schedule = (tries: number) => number | null;

/** Up to a tenth earlier or later, so that what failed together does not come back together. */
export const schedule: Schedule = (tries) => {
  const delay = deliveryPausesMs[tries - 1];
  return delay === undefined ? null : Math.round(delay * (0.9 + Math.random() * 0.2));
};

/** As long as the schedule says, or as the endpoint asked for where that is longer. Null where there is no other. */
export function delayAfter(tries: number, retryAfterMs: number | null, by: Schedule): number | null {
  const delay = by(tries);
  return delay === null ? null : Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_MS));
}

/**
 * How long one that failed is not brought forward, by how often it was tried: while others of its endpoint succeed, it
 * would be sent again and again.
 */
export function restAfter(attempts: number): number {
  return SECOND * 2 ** (attempts - 1);
}

/** Milliseconds from now, by the header `Retry-After`: seconds or an HTTP date. Null for none, and for nonsense. */
export function retryAfterOf(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = DateTime.fromHTTP(text);
  return at.isValid ? Math.max(0, at.toMillis() - now.getTime()) : null;
}
