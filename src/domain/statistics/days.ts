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

const WEEKS_IN_PERIOD = 8;
export const DAYS_IN_PERIOD = 7 * WEEKS_IN_PERIOD;

/** The first day of the eight weeks that the day is in. */
export function periodOf(day: Day): Day {
  const week = weekOf(day);
  const weeks = Math.round((Date.parse(week) / DAY_MS - MONDAY) / 7);
  return laterDay(week, -7 * (((weeks % WEEKS_IN_PERIOD) + WEEKS_IN_PERIOD) % WEEKS_IN_PERIOD));
}

/** The periods that are as a whole in these days, and the weeks of the days that are in none of them. Both days included. */
export function periodsAndWeeks(from: Day, to: Day): { periods: Day[]; weeks: Day[] } {
  const periods: Day[] = [];
  let period = periodOf(laterDay(from, DAYS_IN_PERIOD - 1));
  for (; laterDay(period, DAYS_IN_PERIOD - 1) <= to; period = laterDay(period, DAYS_IN_PERIOD))
    periods.push(period);
  const weeks = weeksFrom(from, to).filter((week) => !periods.includes(periodOf(week)));
  return { periods, weeks };
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
