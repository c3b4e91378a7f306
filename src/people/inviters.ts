/** A link makes a person a member only while the one who made it may still invite. */
import type { MemberRole } from '../domain/teams/roles.js';
import { isAppError, isUnavailable } from '../errors.js';
import type { StateEntry } from '../ports/state.js';
import type { JoinLink } from './invited-person.js';
import type { Teams } from './teams.js';

/** For a check before the person is known: the role and the inviter decide. */
export const ANYBODY = { person_id: '', sealed: '' };

/** Refuses a person who may not give the role. A full team is no reason: a member may leave. */
export async function mustGive(
  teams: Teams,
  by: string | null,
  team: string,
  role: MemberRole,
): Promise<void> {
  try {
    await teams.check(team, { type: 'AddMember', ...ANYBODY, role, by });
  } catch (error) {
    if (!isAppError(error, 'member_limit')) throw error;
  }
}

/** A person who was removed and invited again starts with nothing: what they had given away stays void. */
export async function isSameInviter(teams: Teams, { team, invited_by: by, inviter_since }: JoinLink) {
  return inviter_since === null || (await teams.since(team, by!)) === inviter_since;
}

/** The link, while its inviter may still invite. */
export async function ifOpen(
  teams: Teams,
  link: StateEntry<JoinLink> | null,
): Promise<StateEntry<JoinLink> | null> {
  if (link === null) return null;
  const { team, role, invited_by: by } = link.value;
  try {
    await mustGive(teams, by, team, role);
    return (await isSameInviter(teams, link.value)) ? link : null;
  } catch (error) {
    if (isAppError(error) && !isUnavailable(error)) return null;
    throw error;
  }
}
