/** RFC 3339 instants, normalised to UTC milliseconds. */
import type { Instant } from './event.js';

const form = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Returns the instant in the form in which it is stored, or null if the text is not an RFC 3339 date-time (section 5.6).
 * Digits beyond milliseconds are cut off. A leap second becomes the first moment after it.
 */
export function normaliseInstant(text: string): Instant | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = match;
  if (+hour! > 23 || +minute! > 59 || +second! > 60 || +offsetHour > 23 || +offsetMinute > 59) return null;
  if (+month! < 1 || +month! > 12 || +day! < 1 || +day! > daysIn(+year!, +month!)) return null;
  const milliseconds = +fraction.slice(0, 3).padEnd(3, '0');
  const date = new Date(0);
  date.setUTCFullYear(+year!, +month! - 1, +day!);
  date.setUTCHours(+hour!, +minute!, +second!, second === '60' ? 0 : milliseconds);
  const offset = (sign === '-' ? -1 : 1) * (+offsetHour * 60 + +offsetMinute) * 60_000;
  const utc = new Date(date.getTime() - offset);
  // The offset may move the instant out of the four-digit years. RFC 3339 has no form for such a year.
  return utc.getUTCFullYear() < 0 || utc.getUTCFullYear() > 9999 ? null : utc.toISOString();
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** The day in UTC, `2026-11-21`. */
export function dayOf(at: Instant): string {
  return at.slice(0, 10);
}

/** `2026-11-21`: a day of the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** When a run or a result took place: it may be recorded long after that, as by an import. */
export function ranAt({
  finished_at,
  started_at,
  created_at,
}: {
  finished_at: Instant | null;
  started_at: Instant | null;
  created_at: Instant;
}): Instant {
  return finished_at ?? started_at ?? created_at;
}

/** Returns the later of two stored instants. They sort as text. */
export function latest(one: Instant, other: Instant): Instant {
  return one > other ? one : other;
}

/** Returns the earlier of two stored instants, or the one that there is. */
export function earliest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
