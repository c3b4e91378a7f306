/**
 * The visits that runs, and results without one, are due for: each releases the contents that no result names any more whose
 * contents are kept. An entry of State each, whose key begins with its instant, so that a list gives the first one first.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import type { State } from '../ports/state.js';

/** `holder`: a run, or a result without one. */
export type Visit = { at: Instant; team: string; holder: string };

/** Before everything that becomes due by the clock: somebody asked for it just now. */
export const SOON: Instant = new Date(0).toISOString();

const KIND = 'content-visit';

/** For contents whose append was lost: once an hour, however many appends of a place lose against others. */
const LOST_EVERY_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

/** Returns what is told of lost appends. The visit reads what the place names, so an append that was done after all loses nothing. */
export function visitingLost(
  state: Pick<State, 'put'>,
  { clock, report }: { clock: Clock; report: (error: unknown) => void },
): (place: Pick<Visit, 'team' | 'holder'>) => Promise<void> {
  const asked = new LRUCache<string, true>({ max: MOST_REMEMBERED });
  return async (place) => {
    const at = new Date(Math.ceil(clock().getTime() / LOST_EVERY_MS) * LOST_EVERY_MS).toISOString();
    const key = keyOf({ ...place, at });
    if (asked.has(key)) return;
    // The append has failed in any case: its own error is the answer.
    await putVisit(state, { ...place, at }).then(() => asked.set(key, true), report);
  };
}

export async function putVisit(state: Pick<State, 'put'>, { at, team, holder }: Visit): Promise<void> {
  const visit = { at, team, holder };
  await state.put(KIND, keyOf(visit), visit, { expected: 'any' });
}

/** Those that are due, each with its version: a visit that was asked for again meanwhile is not removed. */
export async function dueVisits(
  state: Pick<State, 'list'>,
  now: Instant,
  limit: number,
): Promise<(Visit & { version: number })[]> {
  const entries = await state.list<Visit>(KIND, { limit });
  return entries.map(({ value, version }) => ({ ...value, version })).filter(({ at }) => at <= now);
}

export async function removeVisit(
  state: Pick<State, 'remove'>,
  { version, ...visit }: Visit & { version: number },
): Promise<void> {
  await state.remove(KIND, keyOf(visit), version);
}

function keyOf({ at, team, holder }: Visit): string {
  return [at, team, holder].join('#');
}
