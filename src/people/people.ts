/** The people who use the pages: their accounts, their sign-ins and their places in teams. */
import type { Instant } from '../domain/event.js';
import type { KeyRole } from '../domain/team.js';
import type { Membership } from '../keys/api-keys.js';

export type { Membership } from '../keys/api-keys.js';

export type Person = { person_id: string; name: string; email: string; memberships: readonly Membership[] };

/** `csrf`: the token that each form of this session must carry. */
export type SignedIn = Person & { csrf: string };

/** `email`: null for a forgotten person. */
export type Member = {
  person_id: string;
  name: string;
  email: string | null;
  role: KeyRole;
  added_at: Instant;
};

export type NewAccount = { name: string; email: string; password: string };

/** The person who acts, in one of their teams, with their role there. */
export type Acting = { person_id: string; team: string; role: KeyRole; correlationId: string };

export type People = {
  /** The person of a session cookie, with their memberships of now; null where no session has this token. */
  session(token: string): Promise<SignedIn | null>;
  /** @throws LedgerError `sign_in_failed`, `rate_limited` */
  signIn(input: { email: string; password: string; address: string }): Promise<{ token: string }>;
  signOut(token: string): Promise<void>;
  firstStartIsOpen(token: string): Promise<boolean>;
  acceptFirstStart(
    token: string,
    account: NewAccount,
    context: { correlationId: string },
  ): Promise<{ token: string }>;
  invite(by: Acting, role: KeyRole): Promise<{ token: string; expires_at: Instant }>;
  invitation(
    token: string,
  ): Promise<{ team_id: string; team_name: string; role: KeyRole; expires_at: Instant } | null>;
  /** `token`: of the new session; null for a person who was signed in. */
  acceptInvitation(
    token: string,
    who: NewAccount | { person_id: string },
    context: { correlationId: string },
  ): Promise<{ token: string | null; team_id: string }>;
  members(team: string): Promise<Member[]>;
  changeRole(by: Acting, person_id: string, role: KeyRole): Promise<void>;
  /** Also oneself. */
  removeMember(by: Acting, person_id: string): Promise<void>;
  resetLink(by: Acting, person_id: string): Promise<{ token: string; expires_at: Instant }>;
  resetIsOpen(token: string): Promise<boolean>;
  resetPassword(token: string, password: string): Promise<{ token: string }>;
  /** An owner of the team, or the person. */
  forget(by: Acting, person_id: string): Promise<void>;
};
