/**
 * What is left when nobody sees any more what was redacted: its bytes go. An entry of State each, which one process works off
 * (`eraser.ts`).
 */
import type { Mask } from '../log/masks.js';
import type { State } from '../ports/state.js';

/** `hides`: the id of a thing of which no stored answer may tell. `mask`: of the events in which something is masked. */
export type Erasure = { id: string; team: string; hides: string; mask: Mask | null };

export type DueErasure = Erasure & { version: number };

const KIND = 'erasures';

export async function askForErasure(state: Pick<State, 'put'>, erasure: Erasure): Promise<void> {
  await state.put(KIND, erasure.id, erasure, { expected: 'any' });
}

export async function dueErasures(state: Pick<State, 'list'>, limit: number): Promise<DueErasure[]> {
  const entries = await state.list<Erasure>(KIND, { limit });
  return entries.map(({ value, version }) => ({ ...value, version }));
}

/** One that was asked for again meanwhile stays. */
export async function removeErasure(
  state: Pick<State, 'remove'>,
  { id, version }: Pick<DueErasure, 'id' | 'version'>,
): Promise<void> {
  await state.remove(KIND, id, version);
}
