/** A stand-in for people while the pages are made: one owner of the operator's team, with a fixed session. */
import { OPERATOR_TEAM } from '../commands/teams.js';
import type { People } from './people.js';

export function temporaryPeople(): People {
  const me = {
    person_id: 'person_00000000000000000000000001',
    name: 'Ada Example',
    email: 'ada@example.org',
    memberships: [{ team_id: OPERATOR_TEAM, team_name: 'Operator', role: 'owner' as const }],
    csrf: 'temporary-csrf-token',
  };
  const token = 'temporary-session-token';
  const expires_at = '2026-12-31T00:00:00.000Z';
  const invitation = { team_id: OPERATOR_TEAM, team_name: 'Operator', role: 'member' as const, expires_at };
  return {
    session: async (given) => (given === token ? me : null),
    signIn: async () => ({ token }),
    signOut: async () => undefined,
    firstStartIsOpen: async () => true,
    acceptFirstStart: async () => ({ token }),
    invite: async () => ({ token: 'invitation', expires_at }),
    invitation: async () => invitation,
    acceptInvitation: async () => ({ token, team_id: OPERATOR_TEAM }),
    members: async () => [{ ...me, role: 'owner' as const, added_at: expires_at }],
    changeRole: async () => undefined,
    removeMember: async () => undefined,
    resetLink: async () => ({ token: 'reset', expires_at }),
    resetIsOpen: async () => true,
    resetPassword: async () => ({ token }),
    forget: async () => undefined,
  };
}
