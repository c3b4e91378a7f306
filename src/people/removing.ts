/**
 * Removes a person from a team, by whomever: their keys of the team end in the same append, and then all their sessions. A
 * crash in between leaves sessions without this team; they are void where the person is in no other one.
 */
import type { Sessions } from './sessions.js';
import type { Cause, Teams } from './teams.js';

/** `by`: as in the command. @throws AppError `forbidden`, `not_found`, `last_owner` */
export type Remove = (team: string, who: { person_id: string; by: string }, cause: Cause) => Promise<void>;

export function openRemove({ teams, sessions }: { teams: Teams; sessions: Sessions }): Remove {
  return async (team, { person_id, by }, cause) => {
    await teams.record(team, { type: 'RemoveMember', person_id, by }, cause);
    await sessions.endAllOf(person_id);
  };
}
