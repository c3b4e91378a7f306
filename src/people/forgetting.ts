/**
 * Forgets a person. The log keeps their id and their encrypted name; with the account goes the only key, so that nobody
 * can read the name any more, in a backup of the log neither.
 */
import { isAppError } from '../errors.js';
import type { State } from '../ports/state.js';
import type { Accounts } from './accounts.js';
import type { Acting } from './people.js';
import type { Remove } from './removing.js';
import type { Sessions } from './sessions.js';
import type { Directory, Teams } from './teams.js';

export type Forgetting = {
  /** @throws AppError `last_owner`, `forbidden`, `not_found` */
  forget(by: Acting, person: string): Promise<void>;
  /** Completes what a crash has interrupted. */
  resume(): Promise<void>;
};

type Task = { actor: string; correlationId: string };

type Parts = {
  state: State;
  accounts: Accounts;
  sessions: Sessions;
  teams: Teams;
  remove: Remove;
  directory: Directory;
};

const KIND = 'forgetting';
const MOST = 1_000;

export function openForgetting(parts: Parts): Forgetting {
  const { state, accounts, sessions, teams, remove, directory } = parts;
  const membershipsOf = async (person: string) => (await directory.person(person))?.memberships ?? [];
  const removal = (person_id: string) => ({ type: 'RemoveMember', person_id, by: person_id }) as const;

  /**
   * The order: first the places in teams, so that their keys are refused, then the sessions, then the account, then the
   * task. Each step may be repeated.
   */
  async function work(person: string, task: Task): Promise<void> {
    for (const { team_id } of await membershipsOf(person)) {
      await remove(team_id, { person_id: person, by: person }, task).catch((error: unknown) => {
        // Somebody has removed them meanwhile.
        if (!isAppError(error, 'not_found')) throw error;
      });
    }
    await sessions.endAllOf(person);
    await accounts.remove(person);
    await state.remove(KIND, person, 'any');
  }

  return {
    // The task comes first: once anything is gone, the rest goes too, at the next start at the latest.
    async forget(by, person) {
      if (by.person_id !== person) await teams.mustRule(by, person, { least: 'owner' });
      for (const { team_id } of await membershipsOf(person)) {
        await teams.check(team_id, removal(person));
      }
      const task: Task = { actor: by.person_id, correlationId: by.correlationId };
      await state.put(KIND, person, task, { expected: 'any' });
      try {
        await work(person, task);
      } catch (error) {
        // They became the last owner meanwhile: the person stays, and the task must not wait for the next start.
        if (isAppError(error, 'last_owner')) await state.remove(KIND, person, 'any');
        throw error;
      }
    },
    async resume() {
      for (const { key, value } of await state.list<Task>(KIND, { limit: MOST })) await work(key, value);
    },
  };
}
