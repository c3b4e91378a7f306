/**
 * What the audit of a team tells, by the type of its entries: a few words for lists, and the sentence of an entry. A new
 * type is one line here. Some are told by events that are there anyway (`told-events.ts`), the others by `ActRecorded`.
 */
import { listed } from '../history/words.js';

/** What an entry says beside who, when and to whom. */
export type Details = Readonly<Record<string, string | number | null>>;

/**
 * `actor`: the beginning of a sentence. `subject`: the name of what it was done to, as it stands in one. `isOwn`: the actor
 * did it to themselves.
 */
export type Told = { actor: string; subject: string; isOwn: boolean; details: Details };

type Act = { words: string; sentence: (told: Told) => string };

export const acts = {
  sign_in: act('Signed in', ({ actor, details }) => `${actor} signed in${wayOf(details)}`),
  sign_in_failed: act('Sign-in failed', ({ subject, details }) => {
    const count = times(details);
    return count === 1
      ? `Somebody tried to sign in as ${subject}, with a wrong password`
      : `Somebody tried ${count} times within an hour to sign in as ${subject}, with a wrong password`;
  }),
  sign_out: act('Signed out', ({ actor }) => `${actor} signed out`),
  session_ended: act('Session ended', ({ actor, details }) => {
    const count = times(details);
    return `${actor} ended ${count === 1 ? 'a session' : `${count} sessions`} of their own`;
  }),
  password_changed: act('Password changed', ({ actor }) => `${actor} changed their password`),
  email_changed: act('E-mail changed', ({ actor, subject, details }) =>
    details['by'] === 'provider'
      ? `The identity provider changed the e-mail of ${subject}`
      : `${actor} changed their e-mail`,
  ),
  reset_link_made: act(
    'Reset link made',
    ({ actor, subject }) => `${actor} made a link with which ${subject} can set a new password`,
  ),
  reset_link_used: act('Reset link used', ({ actor }) => `${actor} set a new password by a link`),
  invitation_made: act(
    'Invitation made',
    ({ actor, details }) => `${actor} made an invitation${as(details)}`,
  ),
  invitation_used: act(
    'Invitation used',
    ({ actor, details }) => `${actor} used an invitation${as(details)}`,
  ),
  invitation_ended: act(
    'Invitation ended',
    () => 'An invitation ended, because too many wrong e-mails or passwords were typed for it',
  ),
  invitation_withdrawn: act(
    'Invitation withdrawn',
    ({ actor, details }) => `${actor} withdrew an invitation${as(details)}`,
  ),
  member_added: act('Member added', ({ subject, details }) => `${subject} became a member${as(details)}`),
  member_changed: act(
    'Role changed',
    ({ actor, subject, details }) => `${actor} changed the role of ${subject} to ${details['role']}`,
  ),
  member_removed: act('Member removed', ({ actor, subject, isOwn }) =>
    isOwn ? `${actor} left the team` : `${actor} removed ${subject} from the team`,
  ),
  key_made: act('Key made', ({ actor, subject, details }) => `${actor} made ${subject}${as(details)}`),
  key_first_used: act(
    'Key used from a new network',
    ({ actor }) => `${actor} was used from a network for the first time`,
  ),
  key_taken_over: act('Key taken over', ({ actor, subject }) => `${actor} took over ${subject}`),
  key_revoked: act('Key revoked', ({ actor, subject }) => `${actor} revoked ${subject}`),
  key_expired: act('Key expired', ({ subject }) => `${capital(subject)} has expired`),
  ci_token_exchanged: act('CI tokens exchanged', ({ subject, details }) => {
    const count = times(details);
    return count === 1
      ? `A build got a key for its token, by ${subject}`
      : `Builds got ${count} keys for their tokens within an hour, by ${subject}`;
  }),
  trust_made: act('Trust made', ({ actor, subject }) => `${actor} made ${subject}`),
  trust_removed: act('Trust removed', ({ actor, subject }) => `${actor} removed ${subject}`),
  webhook_made: act('Webhook made', ({ actor, subject }) => `${actor} made ${subject}`),
  webhook_changed: act('Webhook changed', ({ actor, subject, details }) => {
    const { change } = details;
    return change === 'enabled' || change === 'disabled'
      ? `${actor} ${change} ${subject}`
      : `${actor} changed ${change} of ${subject}`;
  }),
  webhook_deleted: act('Webhook deleted', ({ actor, subject }) => `${actor} deleted ${subject}`),
  project_changed: act(
    'Project settings changed',
    ({ actor, subject, details }) => `${actor} changed ${details['changed']} of ${subject}`,
  ),
  team_changed: act(
    'Team settings changed',
    ({ actor, details }) => `${actor} changed ${details['changed']} of the team`,
  ),
  link_made: act('Link made', ({ actor, subject }) => `${actor} made ${subject}`),
  link_used: act(
    'Link used',
    ({ subject }) => `${capital(subject)} was used from a network for the first time on this day`,
  ),
  link_revoked: act('Link revoked', ({ actor, subject }) => `${actor} revoked ${subject}`),
  badge_made: act('Badge made', ({ actor, subject }) => `${actor} made ${subject}`),
  badge_removed: act('Badge removed', ({ actor, subject }) => `${actor} removed ${subject}`),
  redacted: act('Redacted', ({ actor, subject }) => `${actor} redacted ${subject}`),
  purged: act(
    'Deleted for good',
    ({ actor, subject }) => `${actor} deleted ${subject} for good, with all that was in it`,
  ),
  backup_made: act('Backup made', ({ actor }) => `${actor} made a backup`),
} as const satisfies Record<string, Act>;

export type ActType = keyof typeof acts;

/** The words for a type; a type that only a newer program knows is shown as it is. */
export function wordsOf(type: string): string {
  return isActType(type) ? acts[type].words : type;
}

/** One sentence, with its full stop. */
export function sentenceOf(type: string, told: Told): string {
  const sentence = isActType(type) ? acts[type].sentence(told) : `${told.actor}: ${type}, ${told.subject}`;
  return `${capital(sentence)}.`;
}

function isActType(type: string): type is ActType {
  return Object.hasOwn(acts, type);
}

function act(words: string, sentence: Act['sentence']): Act {
  return { words, sentence };
}

function wayOf({ by }: Details): string {
  return by === 'provider' ? ' by the identity provider' : '';
}

function as({ role }: Details): string {
  return typeof role === 'string' ? ` as ${role}` : '';
}

function times({ count }: Details): number {
  return typeof count === 'number' ? count : 1;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The fields that changed, as they stand in a sentence. */
export function fieldsIn(names: readonly string[]): string {
  return listed(names.map((name) => `the ${name.replaceAll('_', ' ')}`));
}
