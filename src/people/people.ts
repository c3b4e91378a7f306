/**
 * The people who use the pages: their accounts, their sign-ins and their places in teams. Memberships are events, with
 * the id of the person who caused them as the actor. Everything else is in State, and none of it follows from the log.
 */
import type { Instant } from '../domain/event.js';
import type { MemberRole } from '../domain/teams/roles.js';
import type { Key } from '../domain/teams/team.js';
import type { Membership } from '../keys/api-keys.js';
import type { Client } from './client.js';

export type { Membership } from '../keys/api-keys.js';

export type Person = { person_id: string; name: string; email: string; memberships: readonly Membership[] };

/**
 * `csrf`: the token that each form of this session must carry. `isProven`: the person has shown a moment ago that it is
 * them, which acts that nobody can undo need.
 */
export type SignedIn = Person & { csrf: string; isProven: boolean };

/** A session as its person sees it. `client`: null where it is not known. */
export type OpenSession = {
  id: string;
  client: Client | null;
  created_at: Instant;
  used_at: Instant;
  /** It is the one of the request. */
  isThis: boolean;
};

/** A request of a person, for what is kept of it. */
export type Visit = { correlationId: string; client?: Client };

/** `email`: null for a forgotten person. */
export type Member = {
  person_id: string;
  name: string;
  email: string | null;
  role: MemberRole;
  added_at: Instant;
};

export type OpenInvitation = {
  invitation_id: string;
  role: MemberRole;
  /** The id of the person who made it, or `OPERATOR`. */
  invited_by: string;
  expires_at: Instant;
  /** Whether it lets in only the person with one e-mail. */
  isForOne: boolean;
};

export type NewAccount = { name: string; email: string; password: string };

/** The person who acts, in one of their teams, with their role there. */
export type Acting = Visit & { person_id: string; team: string; role: MemberRole };

export type People = {
  /** The person of a session cookie, with their memberships of now; null where no session has this token. */
  session(token: string): Promise<SignedIn | null>;
  /** @throws AppError `sign_in_failed`, `rate_limited` */
  signIn(
    input: { email: string; password: string; address: string },
    visit?: Visit,
  ): Promise<{ token: string }>;
  signOut(token: string, visit?: Visit): Promise<void>;
  /** Proves to a session that its person is there. @throws AppError `validation_failed` for a wrong password, `rate_limited` */
  confirm(token: string, person_id: string, password: string, visit?: Visit): Promise<void>;
  /** The sessions of a person, the one that was used last first. `token`: that of the request. */
  sessions(person_id: string, token: string): Promise<OpenSession[]>;
  endSession(person_id: string, id: string, visit?: Visit): Promise<void>;
  /** Ends all sessions but the one of the token. */
  endOtherSessions(person_id: string, token: string, visit?: Visit): Promise<void>;
  /** Makes the link of a first start: null where the operator's team has an owner already. */
  newFirstStart(): Promise<string | null>;
  firstStartIsOpen(token: string): Promise<boolean>;
  /** @throws AppError `link_not_valid`, `validation_failed`, `sign_in_failed` for the e-mail of another account */
  acceptFirstStart(
    token: string,
    who: NewAccount | { person_id: string },
    context: Visit,
  ): Promise<{ token: string }>;
  /**
   * `email`: of the only person whom it lets in; null for whoever has the link. @throws AppError `forbidden` for a role that
   * the person cannot give, `invitation_limit`, `validation_failed`
   */
  invite(
    by: Acting,
    role: MemberRole,
    email?: string | null,
  ): Promise<{ token: string; expires_at: Instant }>;
  /** Null where the link has expired, or was used or withdrawn. */
  invitation(token: string): Promise<{
    team_id: string;
    team_name: string;
    role: MemberRole;
    expires_at: Instant;
    isForOne: boolean;
  } | null>;
  /** All open invitations of a team, those that were made last first. */
  invitations(team: string): Promise<OpenInvitation[]>;
  /** Its link works no more. @throws AppError `not_found`, `forbidden` for a role that the person cannot give */
  withdrawInvitation(by: Acting, invitation_id: string): Promise<void>;
  /**
   * `token`: of the new session; null for a person who was signed in. @throws AppError as `acceptFirstStart`, and
   * `member_limit`
   */
  acceptInvitation(
    token: string,
    who: NewAccount | { person_id: string },
    context: Visit,
  ): Promise<{ token: string | null; team_id: string }>;
  members(team: string): Promise<Member[]>;
  /** The name of a person, for those who see what they did. */
  nameOf(person_id: string): Promise<string>;
  /** @throws AppError `forbidden`, `not_found`, `last_owner` */
  changeRole(by: Acting, person_id: string, role: MemberRole): Promise<void>;
  /** The valid keys that follow a member: they end with the membership. */
  keysOf(
    team: string,
    person_id: string,
  ): Promise<readonly Pick<Key, 'key_id' | 'name' | 'role' | 'prefix'>[]>;
  /** The key of a member follows the person who acts from then on. @throws AppError `forbidden`, `not_found` */
  takeKeyOver(by: Acting, from: string, key_id: string): Promise<void>;
  /** Also oneself. Ends their sessions, and their keys of the team. @throws AppError as `changeRole` */
  removeMember(by: Acting, person_id: string): Promise<void>;
  /**
   * @throws AppError `forbidden` unless the other one is below the person in all teams, or where they sign in by the
   * identity provider; `not_found`
   */
  resetLink(by: Acting, person_id: string): Promise<{ token: string; expires_at: Instant }>;
  resetIsOpen(token: string): Promise<boolean>;
  /** Begins a session. @throws AppError `link_not_valid`, `validation_failed`, `overloaded` */
  resetPassword(token: string, password: string, visit?: Visit): Promise<{ token: string }>;
  /** Whether the person can sign in without the identity provider. */
  hasPassword(person_id: string): Promise<boolean>;
  /** `password`: that of now; not looked at where the account has none. @throws AppError `validation_failed` */
  changeProfile(
    person_id: string,
    profile: { name: string; email: string },
    password: string,
    visit?: Visit,
  ): Promise<void>;
  /** Ends all sessions, and begins the one that it returns. @throws AppError `validation_failed`, `forbidden` without a password */
  changePassword(
    person_id: string,
    passwords: { current: string; next: string },
    visit?: Visit,
  ): Promise<{ token: string }>;
  /** An owner of the team, or the person. @throws AppError `forbidden`, `not_found`, `last_owner` */
  forget(by: Acting, person_id: string): Promise<void>;
  /** Sign-in by an identity provider; null without one. */
  external: ExternalSignIn | null;
};

/** Sign-in by an identity provider. */
export type ExternalSignIn = {
  /** What the button says. */
  name: string;
  /**
   * `cookie`: what must come back, encrypted, so that nothing is stored for a sign-in that nobody ends. It binds the
   * sign-in to this browser: a person cannot be signed in as somebody else by a link. `invitation`: the token of the
   * invitation that the person wants to use. `isAnew`: the provider must ask the person again, whom it may know already.
   */
  begin(
    redirectUri: string,
    next: string,
    invitation: string | null,
    isAnew?: boolean,
  ): Promise<{ url: string; cookie: string }>;
  /**
   * `url`: with which the browser came back. Returns the path to go on to, and the token of the session. A person in no
   * team has none: if their invitation is open, `proof` is a cookie with which they may join by it.
   * A cookie works once. @throws AppError `sign_in_failed`, `link_not_valid`, `rate_limited`,
   * `identity_provider_unavailable`
   */
  finish(
    url: URL,
    cookie: string,
    context: Visit & { address: string },
  ): Promise<{ next: string; token: string } | { next: string; proof: string }>;
  /** The person of a proof for this invitation. Null for a proof that has expired, or that is for another one. */
  proven(invitation: string, proof: string): ProvenPerson | null;
  /**
   * Joins by the invitation, after the person has said that they want to: a link to a sign-in must put nobody into a
   * team. @throws AppError `sign_in_failed` for a proof that is none, `link_not_valid`, `forbidden`, `member_limit`
   */
  join(invitation: string, proof: string, context: Visit): Promise<{ token: string; team_id: string }>;
};

/** As the provider names them. `email`: null where it does not vouch for it. */
export type ProvenPerson = { name: string; email: string | null };
