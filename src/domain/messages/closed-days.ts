/** The days of a project of which its digests tell. Each is closed once, at 08:00 UTC of the day after it, or later. */
import { addMilliseconds } from '../../clock.js';
import type { Decider } from '../decider.js';
import { streamName, type Instant, type StreamName } from '../event.js';
import type { DigestEvent } from '../events.js';
import { dayOf } from '../instant.js';
import { none, type None, type Present } from '../life.js';
import { limits } from '../../limits.js';
import { daysFrom, laterDay, type Day } from '../statistics/days.js';

const HOUR_MS = 3_600_000;
const DUE_AFTER_MS = 32 * HOUR_MS;
/** Digests that are older are no news. */
const MOST_MISSED = 7;

/** `last`: the newest day that is closed. */
export type ClosedDays = None | Present<{ last: Day }>;

/** `asked_since`: since when somebody asks for digests: those that were due before are not made. */
export type CloseDays = { type: 'CloseDays'; project_id: string; until: Day; asked_since: Instant };

export const closedDays: Decider<ClosedDays, CloseDays, DigestEvent> = {
  initial: none,

  decide({ project_id, until, asked_since }, state) {
    const first = laterDay(until, 1 - MOST_MISSED);
    const next = state.life === 'none' ? until : laterDay(state.last, 1);
    const from = next < first ? first : next;
    return (from > until ? [] : daysFrom(from, until))
      .map((day) => ({ day, due_at: dueAt(day) }))
      .filter(({ due_at }) => due_at > asked_since)
      .map((data) => ({ type: 'DayClosed', data: { project_id, ...data } }));
  },

  evolve: (state, event) => (event.type === 'DayClosed' ? { life: 'present', last: event.data.day } : state),

  most: { events: limits.eventsPerStream, isExempt: () => false },
};

export function closedDaysStream(team: string, project: string): StreamName {
  return streamName('digest', team, project);
}

export function dueAt(day: Day): Instant {
  return addMilliseconds(`${day}T00:00:00.000Z`, DUE_AFTER_MS);
}

/** The newest day whose digest is due at an instant. */
export function newestDue(now: Instant): Day {
  return dayOf(addMilliseconds(now, -DUE_AFTER_MS));
}
