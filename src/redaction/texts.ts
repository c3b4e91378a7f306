/** Redactions of texts, as State keeps them. */
import type { Access } from '../domain/teams/access.js';
import type { Instant, Position } from '../domain/event.js';
import { fail } from '../errors.js';
import type { State } from '../ports/state.js';

/** `places`: those that were found. `masked`: some are in events. The text itself is in the erasure, and only until it is done. */
export type TextRedaction = {
  id: string;
  team: string;
  actor: string;
  reason: string;
  project_id: string | null;
  up_to: Position;
  state: 'running' | 'done';
  places: number;
  done: number;
  fields: readonly string[];
  masked: boolean;
  created_at: Instant;
  finished_at: Instant | null;
};

const KIND = 'redactions';

export async function putRedaction(state: Pick<State, 'put'>, redaction: TextRedaction): Promise<void> {
  await state.put(KIND, redaction.id, redaction, { expected: 'any' });
}

export async function readRedaction(state: Pick<State, 'get'>, id: string): Promise<TextRedaction | null> {
  return (await state.get<TextRedaction>(KIND, id))?.value ?? null;
}

/** @throws AppError `not_found` */
export async function findRedaction(
  state: Pick<State, 'get'>,
  { team_id }: Pick<Access, 'team_id'>,
  id: string,
): Promise<TextRedaction> {
  const found = await readRedaction(state, id);
  return found?.team === team_id ? found : fail('not_found', 'There is no such redaction.');
}
