/**
 * Links that make a person a member: invitations, and the link of the first start, which makes the first owner of the
 * operator's team. Each one is used once.
 */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import type { Instant } from '../domain/event.js';
import { hasOwner, roleOf } from '../domain/teams/members.js';
import { fail, isAppError, isUnavailable } from '../errors.js';
import { limits } from '../limits.js';
import type { StateEntry } from '../ports/state.js';
import { checkedAccount, checkEmail, type Profile } from './account-fields.js';
import type { Account, Accounts } from './accounts.js';
import type { Prove } from './credentials.js';
import { countingTries, mustBeFor, mustBeProven, type JoinLink, type Joiner } from './invited-person.js';
import { ANYBODY, ifOpen, isSameInviter, mustGive } from './inviters.js';
import { linkNotValid, type Links } from './links.js';
import type { Passwords } from './passwords.js';
import type { OpenInvitations } from './open-invitations.js';
import type { People, Visit } from './people.js';
import type { Sessions } from './sessions.js';
import type { Teams } from './teams.js';
import type { Telling } from './telling.js';

export type Joining = Pick<
  People,
  | 'newFirstStart'
  | 'firstStartIsOpen'
  | 'acceptFirstStart'
  | 'invite'
  | 'invitation'
  | 'invitations'
  | 'withdrawInvitation'
  | 'acceptInvitation'
> & {
  /** Joins by an invitation, and begins no session. @throws AppError as `acceptInvitation` */
  joinInvitation(token: string, who: Joiner, context: Visit): Promise<{ team_id: string; account: Account }>;
};

type Parts = {
  links: Links<JoinLink>;
  openInvitations: OpenInvitations;
  accounts: Accounts;
  passwords: Passwords;
  prove: Prove;
  sessions: Sessions;
  teams: Teams;
  clock: Clock;
  telling: Telling;
  /** There is an identity provider. */
  provesEmails: boolean;
};

/**
 * The link of a first start works for so long, because logs of containers keep what a start prints. Until it is used, each
 * start prints another one.
 */
const FIRST_START_MS = 3_600_000;

/** An account that the link makes. `password`: its hash. */
type NotMadeYet = { profile: Profile; password: string | null; identity?: string };

/** Long because all functions share the parts: each is short. */
export function openJoining(parts: Parts): Joining {
  const { links, openInvitations, accounts, passwords, prove, sessions, teams, clock, telling } = parts;
  const after = (ms: number) => addMilliseconds(instant(clock), ms);

  const openLink = async (token: string) => ifOpen(teams, await links.find(token));

  /**
   * Whether a team has more open invitations than it can have. Void ones make room: they end for good, so that they do
   * not work again beside the others when their inviter may invite again.
   */
  async function hasTooMany(team: string): Promise<boolean> {
    const keys = await openInvitations.of(team);
    if (keys.length <= limits.invitationsPerTeam) return false;
    const open = await Promise.all(
      keys.map(async (key) => {
        if ((await ifOpen(teams, await links.byKey(key))) !== null) return true;
        await removeInvitation(team, key);
        return false;
      }),
    );
    return open.filter((each) => each).length > limits.invitationsPerTeam;
  }

  /** From here on, the link works for this e-mail only: an interrupted use can be repeated, and nobody else joins. */
  async function claim(token: string, claimant: string): Promise<void> {
    for (;;) {
      const link = (await links.find(token)) ?? linkNotValid();
      const { claimed_by } = link.value;
      if (claimed_by === claimant) return;
      if (claimed_by !== undefined) linkNotValid();
      if (await links.replace(link, { ...link.value, claimed_by: claimant })) return;
    }
  }

  /** The account of the person who accepts. A new one is described by its profile and the hash of its password. */
  async function identify(who: Joiner, visit: Visit): Promise<Account | NotMadeYet> {
    if ('person_id' in who) {
      const account = await accounts.find(who.person_id);
      return account ?? fail('sign_in_failed', 'This account does not exist any more. Sign in again.');
    }
    if ('identity' in who) return { ...who, password: null };
    const profile = checkedAccount(who);
    if ((await accounts.byEmail(who.email)) !== null) return prove.account({ ...who, address: null }, visit);
    return { profile, password: await passwords.hash(who.password, accounts.hashOfEmail(who.email)) };
  }

  /** The account that was there, or that another request of the same person has made meanwhile. */
  async function present(known: Account | NotMadeYet, who: Joiner): Promise<Account> {
    if ('person_id' in known) return known;
    if ('password' in who) return prove.account({ ...who, address: null });
    return fail('sign_in_failed', 'The account was made meanwhile. Sign in again.');
  }

  /**
   * Whether the person is a member who does not need the link: it stays open for the one whom it was meant for. A person
   * who has claimed it before completes an interrupted use.
   */
  async function isInAlready({ person_id, email }: Account, { team, invited_by, claimed_by }: JoinLink) {
    if (invited_by === null || claimed_by === email) return false;
    return roleOf((await teams.find(team))?.members ?? [], person_id) !== null;
  }

  /**
   * The order: the link is claimed, the account is made, the member is added, the link is removed, the session begins.
   * A crash before the member is added leaves nothing that others see; after it, the person can sign in. In both cases
   * the same person may use the link again, and each step that is done already does nothing.
   */
  async function join(token: string, who: Joiner, visit: Visit) {
    const { correlationId, client } = visit;
    const link = (await links.find(token)) ?? linkNotValid();
    const { team, role, invited_by: by } = link.value;
    if (!(await isSameInviter(teams, link.value))) linkNotValid();
    if (parts.provesEmails && link.value.email !== undefined) await mustBeProven(accounts, who);
    // What is wrong whatever the e-mail is must say nothing about it.
    if ('password' in who) checkedAccount(who);
    const known = await countingTries(
      { links, token },
      {
        work: async () => {
          // First, so that a wrong e-mail takes as long as a wrong password.
          const found = await identify(who, visit);
          await mustBeFor(accounts, link.value, who);
          return found;
        },
        end: async ({ team: of, key }) => {
          await removeInvitation(of, key);
          await telling.byNobody(of, 'invitation_ended', key, correlationId);
        },
      },
    );
    const person_id = 'person_id' in known ? known.person_id : '';
    if ('person_id' in known && (await isInAlready(known, link.value)))
      return { team_id: team, account: known };
    await teams.check(team, { type: 'AddMember', ...ANYBODY, person_id, role, by });
    const claimant = 'person_id' in known ? known.email : accounts.hashOfEmail(known.profile.email);
    await claim(token, claimant);
    const made = 'person_id' in known ? null : await create(known);
    const account = made ?? (await present(known, who));
    const command = {
      type: 'AddMember',
      person_id: account.person_id,
      role,
      sealed: account.profile,
      by,
    } as const;
    try {
      await teams.record(team, command, { actor: account.person_id, correlationId, client });
    } catch (error) {
      // Refused meanwhile: an account that no team knows must not stay.
      if (made !== null && isAppError(error) && !isUnavailable(error)) {
        await accounts.remove(made.person_id);
      }
      throw error;
    }
    await removeInvitation(team, link.key);
    const joined = { ...visit, person_id: account.person_id, team };
    await telling.inTeam(joined, 'invitation_used', link.key, { role });
    return { team_id: team, account };
  }

  const create = ({ profile, password, identity }: NotMadeYet) =>
    accounts.create(profile, password, identity);

  /** A person who was signed in has not shown again that it is them. */
  const begin = (account: Account, who: Joiner, { client }: Visit) =>
    sessions.begin(account, { client, by: 'password', isProven: 'password' in who });

  async function joinInvitation(token: string, who: Joiner, context: Visit) {
    if (typeof (await links.find(token))?.value.invited_by !== 'string') linkNotValid();
    return join(token, who, context);
  }

  async function removeInvitation(team: string, key: string): Promise<void> {
    await links.remove({ key });
    await openInvitations.remove(team, key);
  }

  return {
    async newFirstStart() {
      const operator = await teams.find(OPERATOR_TEAM);
      if (operator === null || hasOwner(operator.members)) return null;
      const expires_at = after(FIRST_START_MS);
      const link = await links.make({
        team: OPERATOR_TEAM,
        role: 'owner',
        invited_by: null,
        inviter_since: null,
        expires_at,
      });
      return link.token;
    },
    firstStartIsOpen: async (token) => (await openLink(token))?.value.invited_by === null,
    async acceptFirstStart(token, who, context) {
      if ((await links.find(token))?.value.invited_by !== null) linkNotValid();
      return { token: await begin((await join(token, who, context)).account, who, context) };
    },
    async invite(acting, role, email = null) {
      const { person_id: by, team } = acting;
      if (email !== null) checkEmail(email);
      await teams.check(team, { type: 'AddMember', ...ANYBODY, role, by });
      const { token, key, expires_at } = await makeInvitation(parts, {
        team,
        role,
        invited_by: by,
        inviter_since: await teams.since(team, by),
        ...(email !== null && { email: accounts.hashOfEmail(email) }),
      });
      // The count comes last, so that several at once do not pass the limit.
      if (await hasTooMany(team)) {
        await removeInvitation(team, key);
        fail(
          'invitation_limit',
          `A team can have at most ${limits.invitationsPerTeam} open invitations. Withdraw one that is not needed.`,
        );
      }
      await telling.inTeam(acting, 'invitation_made', key, { role });
      return { token, expires_at };
    },
    async invitations(team) {
      const keys = await openInvitations.of(team);
      const found = await Promise.all(keys.map(async (key) => ifOpen(teams, await links.byKey(key))));
      return found
        .flatMap((link) => (link === null ? [] : invitationIn(link)))
        .toSorted((one, other) => Date.parse(other.expires_at) - Date.parse(one.expires_at));
    },
    async withdrawInvitation(acting, id) {
      const { person_id: by, team } = acting;
      const link = await links.byKey(id);
      if (link === null || link.value.team !== team || link.value.invited_by === null)
        return fail('not_found', 'This invitation was used or withdrawn, or it has expired.');
      // A person who may not give a role does not decide about it either.
      const { role } = link.value;
      await mustGive(teams, by, team, role);
      await removeInvitation(team, id);
      await telling.inTeam(acting, 'invitation_withdrawn', id, { role });
    },
    async invitation(token) {
      const link = await openLink(token);
      if (link === null || link.value.invited_by === null) return null;
      const { team: team_id, role, expires_at, email } = link.value;
      const team_name = (await teams.find(team_id))?.name ?? '';
      return { team_id, team_name, role, expires_at, isForOne: email !== undefined };
    },
    joinInvitation,
    async acceptInvitation(token, who, context) {
      const { team_id, account } = await joinInvitation(token, who, context);
      return { token: 'person_id' in who ? null : await begin(account, who, context), team_id };
    },
  };
}

function invitationIn({ key, value: { role, invited_by, expires_at, email } }: StateEntry<JoinLink>) {
  const isForOne = email !== undefined;
  return invited_by === null ? [] : [{ invitation_id: key, role, invited_by, expires_at, isForOne }];
}

/** Makes the link of an invitation, and lists it among the open ones of its team. The caller checks who may invite. */
export async function makeInvitation(
  { links, openInvitations, clock }: Pick<Parts, 'links' | 'openInvitations' | 'clock'>,
  invitation: Omit<JoinLink, 'expires_at' | 'claimed_by'> & { invited_by: string },
): Promise<{ token: string; key: string; expires_at: Instant }> {
  const expires_at = addMilliseconds(instant(clock), limits.invitationMs);
  const { token, key } = await links.make({ ...invitation, expires_at });
  await openInvitations.add(invitation.team, key, expires_at);
  return { token, key, expires_at };
}
