/** A team, its API keys and its members. */
import { addMilliseconds } from '../../clock.js';
import { fail, invalid } from '../../errors.js';
import type { Decider } from '../decider.js';
import type { Instant } from '../event.js';
import type { EventData, Fact, TeamEvent } from '../events.js';
import { changedGate, type GateChange, type OwnGate } from '../gate/settings.js';
import { mustBeNone, mustBePresent, none, notFound, type None, type Present } from '../life.js';
import {
  decideOnMembers,
  evolveMembers,
  hasOwner,
  roleOf,
  type MemberCommand,
  type TeamMember,
} from './members.js';
import { reachesNoFurther, type Access } from './access.js';
import { atLeast, effectiveRole, type KeyRole } from './roles.js';
import { limits } from '../../limits.js';

export { atLeast, keyRoles, type KeyRole } from './roles.js';

const DAY_MS = 86_400_000;

export type Key = {
  key_id: string;
  name: string;
  role: KeyRole;
  hash: string;
  prefix: string;
  /** Null for a key that does not end by itself. */
  expires_at: Instant | null;
  /** Null for a key of all projects. */
  project_ids: readonly string[] | null;
  /** The person who made it, or the person of the key that made it. */
  person_id: string | null;
  created_by: string | null;
  created_at: Instant;
  revoked_at: Instant | null;
};

/** `keys`: all that are valid, and the newest of those that have ended, in the order of their creation. */
type TeamRecord = {
  team_id: string;
  name: string;
  created_at: Instant;
  keys: readonly Key[];
  members: readonly TeamMember[];
  /** The settings of the gate for all projects that have set none. */
  gate: OwnGate;
};

export type Team = None | Present<TeamRecord>;

export type TeamCommand =
  /** `firstKey`: null for a team that gets its first owner by a link. */
  | { type: 'CreateTeam'; team_id: string; name: string; firstKey: EventData['KeyCreated'] | null }
  | { type: 'CreateKey'; key: EventData['KeyCreated']; maker: KeyMaker; at: Instant }
  | { type: 'ChangeTeam'; gate?: GateChange }
  | { type: 'RecordRedaction'; data: EventData['TextRedacted'] }
  | { type: 'RevokeKey'; key_id: string; revoker: Pick<Access, 'role' | 'project_ids'> }
  /** A key ends itself. */
  | { type: 'EndOwnKey'; key_id: string }
  | PersonCommand;

/** What is done about the members of a team and their keys. `by`: the person who does it. `from`: whom the key follows. */
export type PersonCommand =
  | MemberCommand
  | { type: 'TakeKeyOver'; key_id: string; from: string; by: string }
  | { type: 'RevokeKeysOf'; person_id: string };

/** The key or person that makes a key. `operator`: a person on the machine, by the command line. */
export type KeyMaker = (Pick<Access, 'role' | 'project_ids'> & { expires_at: Instant | null }) | 'operator';

export const team: Decider<Team, TeamCommand, TeamEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateTeam':
        mustBeNone(state, 'team');
        return [
          { type: 'TeamCreated', data: { team_id: command.team_id, name: command.name } },
          ...(command.firstKey === null ? [] : [{ type: 'KeyCreated', data: command.firstKey } as const]),
        ];
      case 'CreateKey':
        return [createKey(mustBePresent(state, 'team'), command)];
      case 'RevokeKey':
        return revokeKey(mustBePresent(state, 'team'), command);
      case 'EndOwnKey':
        return endOwnKey(mustBePresent(state, 'team'), command.key_id);
      case 'RecordRedaction':
        mustBePresent(state, 'team');
        return [{ type: 'TextRedacted', data: command.data }];
      case 'ChangeTeam': {
        const gate = changedGate(mustBePresent(state, 'team').gate, command.gate);
        return gate === null ? [] : [{ type: 'TeamSettingsChanged', data: { gate } }];
      }
      case 'TakeKeyOver':
        return takeKeyOver(mustBePresent(state, 'team'), command);
      case 'RevokeKeysOf':
        return revokedOf(mustBePresent(state, 'team'), command.person_id);
      case 'RemoveMember': {
        const present = mustBePresent(state, 'team');
        const removed = decideOnMembers(command, present.members);
        // In the same step: a key that stays would work again for a person who is invited again.
        return [...revokedOf(present, command.person_id), ...removed];
      }
      case 'AddMember':
      case 'ChangeMemberRole':
        return decideOnMembers(command, mustBePresent(state, 'team').members);
    }
  },

  evolve(state, event) {
    if (event.type === 'TeamCreated') {
      return { life: 'present', ...event.data, created_at: event.meta.at, keys: [], members: [], gate: {} };
    }
    if (state.life === 'none') return state;
    switch (event.type) {
      case 'KeyCreated': {
        const key = { ...event.data, created_at: event.meta.at, revoked_at: null };
        return { ...state, keys: withoutOldest([...state.keys, key], event.meta.at) };
      }
      case 'KeyRevoked':
        return { ...state, keys: withRevoked(state.keys, event.data, event.meta.at) };
      case 'KeyTakenOver': {
        const { key_id, person_id } = event.data;
        const taken = { person_id, created_by: person_id };
        const keys = state.keys.map((key) => (key.key_id === key_id ? { ...key, ...taken } : key));
        return { ...state, keys };
      }
      case 'TeamSettingsChanged':
        return { ...state, ...event.data };
      case 'MemberAdded':
      case 'MemberRoleChanged':
      case 'MemberRemoved':
        return { ...state, members: evolveMembers(state.members, event, event.meta) };
      default:
        return state;
    }
  },
};

function createKey(
  { keys }: Present<TeamRecord>,
  { key, maker, at }: Extract<TeamCommand, { type: 'CreateKey' }>,
): Fact<'KeyCreated'> {
  mustEndInTime(key, at);
  if (maker !== 'operator') {
    mustReachNoFurther(key, maker);
    // Not for a person on the machine: they must be able to help a team that has lost its owner's key.
    if (keys.filter((each) => !hasEnded(each, at)).length >= limits.keysPerTeam) {
      fail('key_limit', `A team can have at most ${limits.keysPerTeam} keys that are not revoked.`);
    }
  }
  return { type: 'KeyCreated', data: key };
}

function mustEndInTime({ expires_at }: EventData['KeyCreated'], at: Instant): void {
  if (expires_at === null) return;
  if (expires_at <= at) invalid('/expires_at', 'not_valid', 'must be in the future');
  if (expires_at > addMilliseconds(at, limits.keyMs)) {
    invalid('/expires_at', 'too_large', `must be at most ${limits.keyMs / DAY_MS} days ahead`);
  }
}

/** A key makes no key that may do more than itself, that sees more projects, or that lives longer. */
function mustReachNoFurther(
  { role, project_ids, expires_at }: EventData['KeyCreated'],
  maker: Exclude<KeyMaker, 'operator'>,
): void {
  if (!atLeast(maker.role, role)) {
    fail('forbidden', `A key of role ${maker.role} cannot make a key of role ${role}.`);
  }
  if (!reachesNoFurther(maker, project_ids)) {
    fail('forbidden', 'A key cannot make a key of projects that it does not see itself.');
  }
  if (maker.expires_at !== null && (expires_at === null || expires_at > maker.expires_at)) {
    fail('forbidden', `A key cannot make a key that ends later than itself, at ${maker.expires_at}.`);
  }
}

function revokeKey(
  { keys, members }: Present<TeamRecord>,
  { key_id, revoker }: Extract<TeamCommand, { type: 'RevokeKey' }>,
): Fact<'KeyRevoked'>[] {
  const key = keys.find((each) => each.key_id === key_id) ?? notFound('key');
  if (!reachesNoFurther(revoker, key.project_ids)) notFound('key');
  if (!atLeast(revoker.role, key.role)) {
    fail('forbidden', `A key of role ${revoker.role} cannot revoke a key of role ${key.role}.`);
  }
  if (key.revoked_at !== null) return [];
  // A key of an owner who was removed or demoted is none: it could not make another one. Nor could one that ends, or
  // that sees some projects only.
  const isOwners = (each: Key) =>
    each.revoked_at === null &&
    each.expires_at === null &&
    each.project_ids === null &&
    effectiveRole(each, (person) => roleOf(members, person)) === 'owner';
  const remains = hasOwner(members) || keys.some((each) => each !== key && isOwners(each));
  if (isOwners(key) && !remains) {
    fail('last_owner', 'Without this key, the team could never make an owner key again.');
  }
  return [{ type: 'KeyRevoked', data: { key_id } }];
}

function takeKeyOver(
  { keys, members }: Present<TeamRecord>,
  { key_id, from, by }: Extract<TeamCommand, { type: 'TakeKeyOver' }>,
): Fact<'KeyTakenOver'>[] {
  // A key of nobody, such as one of a pipeline, and one of an owner whom an admin cannot remove stay as they are.
  const held = roleOf(members, from) ?? notFound('member');
  const key = keysOf(keys, from).find((each) => each.key_id === key_id) ?? notFound('key');
  const role = roleOf(members, by);
  if (role === null || !atLeast(role, 'admin')) fail('forbidden', 'Only an admin or owner takes keys over.');
  if (!atLeast(role, held)) {
    fail('forbidden', `A member of role ${role} cannot take over the keys of a member of role ${held}.`);
  }
  if (!atLeast(role, key.role)) {
    fail('forbidden', `A member of role ${role} cannot take over a key of role ${key.role}.`);
  }
  return from === by ? [] : [{ type: 'KeyTakenOver', data: { key_id, person_id: by } }];
}

function revokedOf({ keys }: Present<TeamRecord>, person: string): Fact<'KeyRevoked'>[] {
  return keysOf(keys, person).map(({ key_id }) => ({ type: 'KeyRevoked', data: { key_id } }));
}

/** The keys that follow a person and are not revoked. */
export function keysOf(keys: readonly Key[], person: string): readonly Key[] {
  return keys.filter((key) => key.person_id === person && key.revoked_at === null);
}

/** Whoever finds a key may end it, also the last one of an owner: an operator can make another on the machine. */
function endOwnKey({ keys }: Present<TeamRecord>, key_id: string): Fact<'KeyRevoked'>[] {
  const key = keys.find((each) => each.key_id === key_id) ?? notFound('key');
  return key.revoked_at === null ? [{ type: 'KeyRevoked', data: { key_id } }] : [];
}

/** Whether a key was revoked or has expired. */
function hasEnded({ revoked_at, expires_at }: Key, at: Instant): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= at);
}

/** The keys after one was revoked. A team may have made ten thousand, so each event copies the list once and looks from its end. */
function withRevoked(keys: readonly Key[], { key_id }: EventData['KeyRevoked'], at: Instant): readonly Key[] {
  const index = keys.findLastIndex((key) => key.key_id === key_id);
  return index === -1 ? keys : withoutOldest(keys.with(index, { ...keys[index]!, revoked_at: at }), at);
}

/** Only the newest of the keys that have ended stay, so that a fold costs the same for ever. */
function withoutOldest(keys: readonly Key[], at: Instant): readonly Key[] {
  if (keys.length <= limits.revokedKeysShown) return keys;
  let ended = 0;
  for (const key of keys) if (hasEnded(key, at)) ended += 1;
  if (ended <= limits.revokedKeysShown) return keys;
  return keys.toSpliced(
    keys.findIndex((key) => hasEnded(key, at)),
    1,
  );
}
