/** Days and weeks of UTC, as texts `YYYY-MM-DD`. A week begins on a Monday and is named by it. */
export type Day = string;

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const MONDAY = 4;

export function laterDay(day: Day, days: number): Day {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The number of days from one to another. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

export function weekOf(day: Day): Day {
  return laterDay(day, -dayInWeek(day));
}

/** 0 for a Monday. */
export function dayInWeek(day: Day): number {
  const days = Math.floor(Date.parse(day) / DAY_MS);
  return (((days - MONDAY) % 7) + 7) % 7;
}

/** Both included. */
export function daysFrom(from: Day, to: Day): Day[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, n) => laterDay(from, n));
}

/** The weeks of these days. */
export function weeksFrom(from: Day, to: Day): Day[] {
  const first = weekOf(from);
  return Array.from({ length: Math.floor(daysBetween(first, to) / 7) + 1 }, (_, n) => laterDay(first, 7 * n));
}
