/** People as the pages see them: they answer as a test says, and record each call that changes something. */
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import type { Member, People, SignedIn } from '../../src/people/people.js';

export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export const OTHER_TEAM = 'team_00000000000000000000000001';
export const UNTIL = '2031-02-03T04:05:06.789Z';

/** The token of a session of the person with this role. */
export const sessionOf = (role: string): string => `a-session-of-the-${role}`;

/** One person for each role, all in the team of the operator. The owner is in another team too. */
export function personOf(role: MemberRole): SignedIn {
  const more = { team_id: OTHER_TEAM, team_name: 'Another team', role };
  return {
    person_id: `person_${role}`,
    name: `The ${role}`,
    email: `${role}@example.org`,
    memberships: [
      { team_id: OPERATOR_TEAM, team_name: 'The operator', role },
      ...(role === 'owner' ? [more] : []),
    ],
    csrf: `token-of-the-${role}`,
    isProven: true,
  };
}

type Call = Exclude<keyof People, 'external'>;

export type Recorded = { call: Call; args: readonly unknown[] };

export type FakePeople = Omit<People, 'external'> & {
  external: People['external'];
  /** The calls that change something, in their order. */
  readonly recorded: Recorded[];
  /** The next call of this function ends so. */
  next<F extends Call>(name: F, work: People[F]): void;
  reset(): void;
};

export function fakePeople(): FakePeople {
  const recorded: Recorded[] = [];
  const planned = new Map<Call, unknown>();

  function plan<F extends Call>(name: F, usual: People[F], isRecorded = true): People[F] {
    const called = (...args: unknown[]): unknown => {
      if (isRecorded) recorded.push({ call: name, args });
      const work = (planned.get(name) ?? usual) as (...args: unknown[]) => unknown;
      planned.delete(name);
      return work(...args);
    };
    return called as People[F];
  }

  const members = (): Member[] =>
    roles.map((role) => {
      const { person_id, name, email } = personOf(role);
      return { person_id, name, email, role, added_at: '2026-01-02T03:04:05.678Z' };
    });
  return {
    recorded,
    next: (name, work) => void planned.set(name, work),
    external: null,
    reset() {
      recorded.length = 0;
      planned.clear();
    },
    session: plan(
      'session',
      async (token) => {
        const role = roles.find((each) => sessionOf(each) === token);
        return role === undefined ? null : personOf(role);
      },
      false,
    ),
    signIn: plan('signIn', async () => ({ token: sessionOf('owner') })),
    signOut: plan('signOut', async () => undefined),
    confirm: plan('confirm', async () => undefined),
    sessions: plan('sessions', async () => [], false),
    endSession: plan('endSession', async () => undefined),
    endOtherSessions: plan('endOtherSessions', async () => undefined),
    newFirstStart: plan('newFirstStart', async () => null),
    firstStartIsOpen: plan('firstStartIsOpen', async () => true, false),
    acceptFirstStart: plan('acceptFirstStart', async () => ({ token: sessionOf('owner') })),
    invite: plan('invite', async () => ({ token: 'an-invitation', expires_at: UNTIL })),
    invitation: plan(
      'invitation',
      async () => ({
        team_id: OTHER_TEAM,
        team_name: 'Another team',
        role: 'member',
        expires_at: UNTIL,
        isForOne: false,
      }),
      false,
    ),
    acceptInvitation: plan('acceptInvitation', async () => ({
      token: sessionOf('member'),
      team_id: OPERATOR_TEAM,
    })),
    invitations: plan(
      'invitations',
      async () => [
        {
          invitation_id: 'invitation-1',
          role: 'member',
          invited_by: 'person_admin',
          expires_at: UNTIL,
          isForOne: true,
        },
      ],
      false,
    ),
    withdrawInvitation: plan('withdrawInvitation', async () => undefined),
    members: plan('members', async () => members(), false),
    nameOf: plan('nameOf', async () => 'Somebody who left', false),
    changeRole: plan('changeRole', async () => undefined),
    keysOf: plan('keysOf', async () => [], false),
    takeKeyOver: plan('takeKeyOver', async () => undefined),
    removeMember: plan('removeMember', async () => undefined),
    resetLink: plan('resetLink', async () => ({ token: 'a-reset', expires_at: UNTIL })),
    resetIsOpen: plan('resetIsOpen', async () => true, false),
    resetPassword: plan('resetPassword', async () => ({ token: sessionOf('member') })),
    hasPassword: plan('hasPassword', async () => true, false),
    changeProfile: plan('changeProfile', async () => undefined),
    changePassword: plan('changePassword', async () => ({ token: sessionOf('member') })),
    forget: plan('forget', async () => undefined),
  };
}
