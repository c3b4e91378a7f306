/**
 * What somebody on the machine of the server may do about people, by the command line and beside a running server. They
 * need no role, so it is the way back in where no owner can sign in, and the way into a team without members.
 */
import type { Clock } from '../clock.js';
import { leaveNote } from '../audit/notes.js';
import { openCommandHandler } from '../commands/command-handler.js';
import { OPERATOR_TEAM, teamStream } from '../commands/teams.js';
import { START, type Instant } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { OPERATOR } from '../domain/teams/members.js';
import type { MemberRole } from '../domain/teams/roles.js';
import { team as decider } from '../domain/teams/team.js';
import { openKeyIndex } from '../keys/key-index.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import { openAccounts } from './accounts.js';
import type { JoinLink } from './invited-person.js';
import { makeInvitation } from './joining.js';
import { openLinks } from './links.js';
import { openOpenInvitations } from './open-invitations.js';
import { makeResetLink, type ResetLink } from './resets.js';

export type OnMachine = { state: State; log: EventLog; clock: Clock };

/** `secretKeys`: those of the server. An invitation needs none, also where it is lost. */
type WithAccounts = OnMachine & { secretKeys: SecretKeys };

type NewLink = { token: string; expires_at: Instant };

/** An invitation as any other, but no change of a role ends it. Null where the log has no such team. */
export async function inviteOnMachine(
  { state, log, clock }: OnMachine,
  { team, role }: { team: string; role: MemberRole },
): Promise<NewLink | null> {
  const found = await openCommandHandler(log).load(decider, teamStream(team));
  if (found.life !== 'present') return null;
  const links = openLinks<JoinLink>(state, 'invitation', clock);
  const openInvitations = openOpenInvitations(state);
  const invitation = { team, role, invited_by: OPERATOR, inviter_since: null };
  const { token, key, expires_at } = await makeInvitation({ links, openInvitations, clock }, invitation);
  const subject = { type: 'invitation', id: key };
  await leaveNote(state, { act: 'invitation_made', subject, details: { role }, of: { team } });
  return { token, expires_at };
}

/** A link to a new password. Null where the e-mail has no account. */
export async function resetOnMachine(
  { state, secretKeys, clock }: WithAccounts,
  email: string,
): Promise<NewLink | null> {
  const account = await openAccounts(state, secretKeys, clock).byEmail(email);
  if (account === null) return null;
  const links = openLinks<ResetLink>(state, 'reset-link', clock);
  const { person_id } = account;
  const made_by = { person_id: OPERATOR, team: OPERATOR_TEAM, since: null };
  const made = await makeResetLink({ links, clock }, account, made_by);
  const subject = { type: 'person', id: person_id };
  await leaveNote(state, { act: 'reset_link_made', subject, of: { person: person_id } });
  return made;
}

/**
 * Forgets a person who is in no team any more: no page shows them, and they cannot sign in to do it themselves. A member
 * is forgotten on the pages, because their keys must end first.
 */
export async function forgetOnMachine(
  { state, log, secretKeys, clock }: WithAccounts,
  email: string,
): Promise<'forgotten' | 'unknown' | 'member'> {
  const accounts = openAccounts(state, secretKeys, clock);
  const account = await accounts.byEmail(email);
  if (account === null) return 'unknown';
  if (await isMember(log, account.person_id)) return 'member';
  await accounts.remove(account.person_id);
  return 'forgotten';
}

async function isMember(log: EventLog, person: string): Promise<boolean> {
  const index = openKeyIndex();
  for (let after = START, caughtUp = false; !caughtUp;) {
    const batch = await log.readAll({ after, filter: { streams: ['team-'] } });
    for (const event of batch.events) index.apply(event as LedgerEvent);
    ({ position: after, caughtUp } = batch);
  }
  return index.person(person) !== null;
}
