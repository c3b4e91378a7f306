/**
 * What is left when nobody sees any more what was redacted: its bytes go. An entry of State each, which one process works off
 * (`eraser.ts`).
 */
import type { Instant } from '../domain/event.js';
import type { Mask } from '../log/masks.js';
import type { State } from '../ports/state.js';

/**
 * `hides`: what no stored answer may say. `mask`: of the events in which something is masked. `unmask_at`: everything is done,
 * and the mask goes, because the events themselves say it no more. Of a purge: `actor`, who asked for it, and `folded`, where the
 * read models are without it.
 */
export type Erasure = {
  id: string;
  team: string;
  hides: string;
  mask: Mask | null;
  unmask_at?: Instant;
  actor?: string;
  folded?: boolean;
};

export type DueErasure = Erasure & { version: number };

export const ERASURES = 'erasures';
const MOST = 1_000;

export async function askForErasure(state: Pick<State, 'put'>, erasure: Erasure): Promise<void> {
  await state.put(ERASURES, erasure.id, erasure, { expected: 'any' });
}

export async function dueErasures(state: Pick<State, 'list'>, now: Instant): Promise<DueErasure[]> {
  const entries = await state.list<Erasure>(ERASURES, { limit: MOST });
  const all = entries.map(({ value, version }) => ({ ...value, version }));
  return all.filter(({ unmask_at }) => unmask_at === undefined || unmask_at <= now);
}

export async function readErasure(state: Pick<State, 'get'>, id: string): Promise<Erasure | null> {
  return (await state.get<Erasure>(ERASURES, id))?.value ?? null;
}

/** The read models are without it. Returns the erasure as it is stored then. */
export async function noteFolded(
  state: Pick<State, 'put'>,
  { version, ...erasure }: DueErasure,
): Promise<DueErasure> {
  const folded = { ...erasure, folded: true };
  const put = await state.put(ERASURES, erasure.id, folded, { expected: version });
  return { ...folded, version: put ?? version };
}

/** Asked for again meanwhile, it stays as it was asked for. */
export async function unmaskLater(
  state: Pick<State, 'put'>,
  { version, ...erasure }: DueErasure,
  at: Instant,
): Promise<void> {
  await state.put(ERASURES, erasure.id, { ...erasure, unmask_at: at }, { expected: version });
}

export async function removeErasure(
  state: Pick<State, 'remove'>,
  { id, version }: Pick<DueErasure, 'id' | 'version'>,
): Promise<void> {
  await state.remove(ERASURES, id, version);
}
