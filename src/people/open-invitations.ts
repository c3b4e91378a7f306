/** Which invitations of a team are open. The links themselves say everything else. */
import type { Instant } from '../domain/event.js';
import type { State } from '../ports/state.js';
import { entriesBelow } from './entries.js';

export type OpenInvitations = {
  add(team: string, key: string, expiresAt: Instant): Promise<void>;
  remove(team: string, key: string): Promise<void>;
  /** The keys of all of them. A crash may leave one whose link is gone. */
  of(team: string): Promise<string[]>;
};

const KIND = 'invitation-of-team';

export function openOpenInvitations(state: State): OpenInvitations {
  const before = (team: string) => `${team}/`;
  return {
    add: async (team, key, expiresAt) =>
      void (await state.put(KIND, before(team) + key, {}, { expected: 'any', expiresAt })),
    remove: async (team, key) => void (await state.remove(KIND, before(team) + key, 'any')),
    of: async (team) =>
      (await entriesBelow(state, KIND, before(team))).map(({ key }) => key.slice(before(team).length)),
  };
}
