import { expect } from 'chai';
import type { Fact, MemberEvent, TeamEvent } from '../../../src/domain/events.js';
import { ACTOR_OF_PROVIDER, evolveMembers, type TeamMember } from '../../../src/domain/teams/members.js';
import { memberRoles, type MemberRole } from '../../../src/domain/teams/roles.js';
import { team } from '../../../src/domain/teams/team.js';
import { limits } from '../../../src/limits.js';
import { EARLIER, NOW, specification, type Happened } from '../given.js';
import { keyMaker } from '../key-maker.js';
import { keyOf } from './keys.js';
import { idOf } from '../ids.js';

const given = specification(team);
const team_id = idOf('team');
const person = (n: number) => idOf('person', n);
const ownerKey = (n: number, person_id: string | null = null) => keyOf(n, 'owner', person_id);
const created: Happened<TeamEvent>[] = [
  { type: 'TeamCreated', data: { team_id, name: 'Shop' } },
  { type: 'KeyCreated', data: ownerKey(1) },
];
const added = (n: number, role: MemberRole): Happened<MemberEvent> => ({
  type: 'MemberAdded',
  data: { person_id: person(n), role, sealed: 'sealed' },
});
const add = (n: number, role: MemberRole, by: number | null) =>
  ({
    type: 'AddMember',
    person_id: person(n),
    role,
    sealed: 'sealed',
    by: by === null ? null : person(by),
  }) as const;
const change = (n: number, role: MemberRole, by: number) =>
  ({ type: 'ChangeMemberRole', person_id: person(n), role, by: person(by) }) as const;
const remove = (n: number, by: number) =>
  ({ type: 'RemoveMember', person_id: person(n), by: person(by) }) as const;
const isAtMost = (role: MemberRole, other: MemberRole) =>
  memberRoles.indexOf(role) <= memberRoles.indexOf(other);
const manages = (role: MemberRole) => role === 'admin' || role === 'owner';

describe('the members of a team', () => {
  it('are known with their role and the instant in which they were added', () => {
    const member = {
      person_id: person(2),
      role: 'member',
      own_role: 'member',
      sealed: 'sealed',
      added_at: EARLIER,
    } as const;
    const owner = { ...member, person_id: person(1), role: 'owner', own_role: 'owner' } as const;
    given(...created, added(1, 'owner'), added(2, 'member'))
      .when(change(2, 'admin', 1))
      .changes({
        members: [owner, { ...member, role: 'admin', own_role: 'admin' }],
      });
    given(...created, added(1, 'owner'))
      .when(add(2, 'member', 1))
      .changes({
        members: [owner, { ...member, added_at: NOW }],
      });
    given(...created, added(1, 'owner'), added(2, 'member'))
      .when(remove(2, 1))
      .changes({ members: [owner] });
  });

  it('keep the role that a person gave them beside that of their groups', () => {
    const byGroup = { actor: ACTOR_OF_PROVIDER };
    const byHand = { actor: person(1) };
    const event = (type: 'MemberAdded' | 'MemberRoleChanged', role: MemberRole): Fact<MemberEvent> =>
      type === 'MemberAdded'
        ? { type, data: { person_id: person(2), role, sealed: 'sealed' } }
        : { type, data: { person_id: person(2), role } };
    const rolesAfter = (...history: [{ actor: string }, Fact<MemberEvent>][]) => {
      const members = history.reduce<readonly TeamMember[]>(
        (now, [by, fact]) => evolveMembers(now, fact, { at: NOW, ...by }),
        [],
      );
      return [members[0]!.role, members[0]!.own_role];
    };
    const invited = [byHand, event('MemberAdded', 'viewer')] as [{ actor: string }, Fact<MemberEvent>];
    const given = [byGroup, event('MemberAdded', 'viewer')] as [{ actor: string }, Fact<MemberEvent>];
    expect(rolesAfter(invited)).to.deep.equal(['viewer', 'viewer']);
    expect(rolesAfter(given)).to.deep.equal(['viewer', null]);
    for (const [by, own] of [
      [byGroup, ['viewer', null]],
      [byHand, ['admin', null]],
    ] as const) {
      const changed = event('MemberRoleChanged', 'admin');
      expect(rolesAfter(invited, [by, changed])).to.deep.equal(['admin', own[0]]);
      expect(rolesAfter(given, [by, changed])).to.deep.equal(['admin', own[1]]);
    }
    expect(rolesAfter(given, [byHand, event('MemberAdded', 'member')])).to.deep.equal(['member', 'member']);
  });

  it('begin with one whom nobody invited, and no later one is added so', () => {
    given(...created)
      .when(add(1, 'owner', null))
      .happens(added(1, 'owner'));
    given(...created, added(1, 'owner'))
      .when(add(2, 'owner', null))
      .refused('link_not_valid');
    given()
      .when(add(1, 'owner', null))
      .refused('not_found');
  });

  it('get their first owner so although others are in already, also one of these', () => {
    const byGroup = [...created, added(2, 'viewer')];
    given(...byGroup)
      .when(add(1, 'owner', null))
      .happens(added(1, 'owner'));
    given(...byGroup)
      .when(add(2, 'owner', null))
      .happens({ type: 'MemberRoleChanged', data: { person_id: person(2), role: 'owner' } });
    given(...byGroup, added(1, 'owner'))
      .when(add(2, 'owner', null))
      .refused('link_not_valid');
  });

  it('are added once: a repeat changes nothing, also with another role', () => {
    const members = [...created, added(1, 'owner'), added(2, 'member')];
    given(...members)
      .when(add(2, 'admin', 1))
      .nothingHappens();
    given(...members)
      .when(add(1, 'owner', null))
      .nothingHappens();
  });

  it('are at most 500', () => {
    const full = Array.from({ length: limits.membersPerTeam }, (_, n) => added(n + 1, 'owner'));
    given(...created, ...full)
      .when(add(1_000, 'viewer', 1))
      .refused('member_limit');
    given(...created, ...full.slice(1))
      .when(add(1_000, 'viewer', 2))
      .happens(added(1_000, 'viewer'));
  });

  for (const own of memberRoles) {
    for (const role of memberRoles) {
      const may = manages(own) && isAtMost(role, own);
      const two = [...created, added(9, 'owner'), added(1, own), added(2, role)];
      it(`are ${may ? '' : 'not '}added as ${role} by ${own}`, () => {
        const when = given(...created, added(1, own)).when(add(2, role, 1));
        if (may) when.happens(added(2, role));
        else when.refused('forbidden');
      });
      it(`of role ${role} are ${may ? '' : 'not '}removed by ${own}`, () => {
        const when = given(...two).when(remove(2, 1));
        if (may) when.happens({ type: 'MemberRemoved', data: { person_id: person(2) } });
        else when.refused('forbidden');
      });
      for (const next of memberRoles.filter((each) => each !== role)) {
        const mayGive = may && isAtMost(next, own);
        it(`of role ${role} are ${mayGive ? '' : 'not '}made ${next} by ${own}`, () => {
          const when = given(...two).when(change(2, next, 1));
          const data = { person_id: person(2), role: next };
          if (mayGive) when.happens({ type: 'MemberRoleChanged', data });
          else when.refused('forbidden');
        });
      }
    }
    it(`leave by themselves as ${own}`, () =>
      given(...created, added(9, 'owner'), added(1, own))
        .when(remove(1, 1))
        .happens({ type: 'MemberRemoved', data: { person_id: person(1) } }));
  }

  it('keep their last owner, who can neither leave nor become something else', () => {
    const members = [...created, added(1, 'owner'), added(2, 'admin')];
    given(...members)
      .when(remove(1, 1))
      .refused('last_owner');
    given(...members)
      .when(change(1, 'admin', 1))
      .refused('last_owner');
    given(...members, added(3, 'owner'))
      .when(change(1, 'viewer', 1))
      .happens({ type: 'MemberRoleChanged', data: { person_id: person(1), role: 'viewer' } });
  });

  it('may have no owner, as in a team that has only the keys of its owners', () =>
    given(...created, added(2, 'admin'), added(3, 'member'))
      .when(remove(2, 2))
      .happens({ type: 'MemberRemoved', data: { person_id: person(2) } }));

  it('are refused to one who is no member any more, whatever they were when they began', () => {
    const former = [...created, added(1, 'owner'), added(2, 'owner')];
    const gone: Happened<TeamEvent> = { type: 'MemberRemoved', data: { person_id: person(2) } };
    given(...former, gone)
      .when(add(3, 'viewer', 2))
      .refused('forbidden');
    given(...former, gone)
      .when(change(1, 'viewer', 2))
      .refused('forbidden');
  });

  it('are 404 where there is no such member', () => {
    given(...created, added(1, 'owner'))
      .when(change(7, 'viewer', 1))
      .refused('not_found');
    given(...created, added(1, 'owner'))
      .when(remove(7, 1))
      .refused('not_found');
  });

  it('let the last key of an owner be revoked where a person is an owner, and else not', () => {
    const revoke = { type: 'RevokeKey', key_id: idOf('key', 1), revoker: keyMaker('owner') } as const;
    const revoked: Happened<TeamEvent> = { type: 'KeyRevoked', data: { key_id: idOf('key', 1) } };
    given(...created, added(1, 'owner'))
      .when(revoke)
      .happens(revoked);
    given(...created, added(1, 'admin'))
      .when(revoke)
      .refused('last_owner');
    // The key of a person who is no owner makes no owner key either.
    given(...created, added(1, 'admin'), { type: 'KeyCreated', data: ownerKey(2, person(1)) })
      .when(revoke)
      .refused('last_owner');
  });
});
