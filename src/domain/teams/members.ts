/** The members of a team: persons with a role. Nobody gives or touches a role above their own. */
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';
import type { Instant } from '../event.js';
import type { Fact, MemberEvent } from '../events.js';
import { notFound } from '../life.js';
import { atLeast, type MemberRole } from './roles.js';

/**
 * `sealed`: the name and the e-mail, encrypted with the person's own key. `own_role`: the role that a person gave last, by
 * an invitation or by hand, whatever the groups of the member give; null for one whom the identity provider has added.
 */
export type TeamMember = {
  person_id: string;
  role: MemberRole;
  own_role: MemberRole | null;
  sealed: string;
  added_at: Instant;
};

/** `by`: the person who does it. Their role is that of this moment, whatever it was when they began. */
export type MemberCommand =
  /** `by` is null for the first owner of a team: no role is needed for that. The person may be a member already. */
  | { type: 'AddMember'; person_id: string; role: MemberRole; sealed: string; by: string | null }
  | { type: 'ChangeMemberRole'; person_id: string; role: MemberRole; by: string }
  | { type: 'RemoveMember'; person_id: string; by: string };

/** In the place of a person: the identity provider gives and takes the roles that belong to groups. */
export const IDENTITY_PROVIDER = 'identity-provider';

/** In the place of a person: somebody on the machine of the server, who needs no role in the team. */
export const OPERATOR = 'operator';

/** The actor of the events of the provider: each other one of a member is caused by a person. */
export const ACTOR_OF_PROVIDER = 'system';

/** Adding a member again changes nothing, so that an interrupted join can be repeated. */
export function decideOnMembers(command: MemberCommand, members: readonly TeamMember[]): Fact<MemberEvent>[] {
  const { person_id, by } = command;
  switch (command.type) {
    case 'AddMember': {
      const present = roleOf(members, person_id);
      if (present !== null && (by !== null || present === command.role)) return [];
      if (by === null) mustHaveNoOwner(members);
      else mustRule(members, by, command.role);
      if (present !== null) return [{ type: 'MemberRoleChanged', data: { person_id, role: command.role } }];
      if (members.length >= limits.membersPerTeam) {
        fail('member_limit', `A team can have at most ${limits.membersPerTeam} members.`);
      }
      return [{ type: 'MemberAdded', data: { person_id, role: command.role, sealed: command.sealed } }];
    }
    case 'ChangeMemberRole': {
      const former = roleOf(members, person_id) ?? notFound('member');
      mustRule(members, command.by, former);
      mustRule(members, command.by, command.role);
      if (former === command.role) return [];
      if (former === 'owner') mustHaveOtherOwner(members, person_id);
      return [{ type: 'MemberRoleChanged', data: { person_id, role: command.role } }];
    }
    case 'RemoveMember': {
      const former = roleOf(members, person_id) ?? notFound('member');
      if (by !== person_id) mustRule(members, command.by, former);
      if (former === 'owner') mustHaveOtherOwner(members, person_id);
      return [{ type: 'MemberRemoved', data: { person_id } }];
    }
  }
}

export function evolveMembers(
  members: readonly TeamMember[],
  event: Fact<MemberEvent>,
  { at, actor }: { at: Instant; actor?: string },
): readonly TeamMember[] {
  const { person_id } = event.data;
  const byPerson = actor !== ACTOR_OF_PROVIDER;
  switch (event.type) {
    case 'MemberAdded': {
      const others = members.filter((each) => each.person_id !== person_id);
      return [...others, { ...event.data, own_role: byPerson ? event.data.role : null, added_at: at }];
    }
    case 'MemberRoleChanged': {
      const { role } = event.data;
      const changed = (each: TeamMember): TeamMember => ({
        ...each,
        role,
        // A change by hand does not make the membership of a group one by invitation.
        own_role: byPerson && each.own_role !== null ? role : each.own_role,
      });
      return members.map((each) => (each.person_id === person_id ? changed(each) : each));
    }
    case 'MemberRemoved':
      return members.filter((each) => each.person_id !== person_id);
  }
}

/** The role of a person in the team, null for one who is no member. */
export function roleOf(members: readonly TeamMember[], person: string): MemberRole | null {
  return members.find(({ person_id }) => person_id === person)?.role ?? null;
}

export function hasOwner(members: readonly TeamMember[]): boolean {
  return members.some(({ role }) => role === 'owner');
}

/** @throws AppError `forbidden` unless the person is an admin or owner, and the role is not above theirs. */
function mustRule(members: readonly TeamMember[], person: string, role: MemberRole): void {
  if (person === IDENTITY_PROVIDER || person === OPERATOR) return;
  const own = roleOf(members, person);
  if (own === null || !atLeast(own, 'admin')) fail('forbidden', 'Only an admin or owner manages members.');
  if (!atLeast(own, role))
    fail('forbidden', `A member of role ${own} cannot give or change the role ${role}.`);
}

/**
 * The link of a first start makes the first owner only. Other members are no reason to refuse it: the
 * groups of the identity provider may have let them in before.
 */
function mustHaveNoOwner(members: readonly TeamMember[]): void {
  if (hasOwner(members))
    fail('link_not_valid', 'The team has an owner. Ask one of its admins to invite you.');
}

function mustHaveOtherOwner(members: readonly TeamMember[], person: string): void {
  if (!members.some(({ person_id, role }) => role === 'owner' && person_id !== person)) {
    fail('last_owner', 'This person is the last owner of the team.');
  }
}
