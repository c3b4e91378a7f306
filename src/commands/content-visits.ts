/**
 * The visits that runs, and results without one, are due for: each releases the contents that no result names any more whose
 * contents are kept. An entry of State each, whose key begins with its instant, so that a list gives the first one first.
 */
import type { Instant } from '../domain/event.js';
import type { State } from '../ports/state.js';

/** `holder`: a run, or a result without one. */
export type Visit = { at: Instant; team: string; holder: string };

/** Before everything that becomes due by the clock: somebody asked for it just now. */
export const SOON: Instant = new Date(0).toISOString();

const KIND = 'content-visit';

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
