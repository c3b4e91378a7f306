/**
 * What somebody on the machine of the server did, beside the running server: only a server may append to the log, so the
 * command line leaves a note in State, and the next round of a server tells it.
 */
import { randomUUID } from 'node:crypto';
import { OPERATOR } from '../domain/teams/members.js';
import type { State } from '../ports/state.js';
import type { Act, Audit } from './audit.js';

/** `of`: a team, or a person, in whose teams it is told. */
type Note = Act & { of: { team: string } | { person: string } };

/** The teams of a person now. */
export type TeamsOf = (person: string) => Promise<readonly string[]>;

const KIND = 'audit-note';
const AT_ONCE = 100;

/** @throws AppError `state_unavailable` */
export async function leaveNote(state: State, note: Note): Promise<void> {
  await state.put(KIND, randomUUID(), note, { expected: 'absent' });
}

/** @throws AppError `state_unavailable`, `log_unavailable` */
export async function tellNotes({
  audit,
  state,
  teamsOf,
}: {
  audit: Audit;
  state: State;
  teamsOf: TeamsOf;
}): Promise<void> {
  for (const { key, value } of await state.list<Note>(KIND, { limit: AT_ONCE })) {
    const { of, ...act } = value;
    const teams = 'team' in of ? [of.team] : await teamsOf(of.person);
    for (const team of teams) {
      await audit.record(team, act, { actor: OPERATOR, correlationId: key }, `note ${key}`);
    }
    await state.remove(KIND, key, 'any');
  }
}
