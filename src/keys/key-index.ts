/**
 * The valid keys by their hash, and the members of teams, folded from the events of all teams. A key follows its person:
 * it has the lower of its own role and the person's present one, and it is invalid while they are no member.
 */
import type { Instant } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Access } from '../domain/teams/access.js';
import { effectiveRole, type MemberRole } from '../domain/teams/roles.js';

/** A key with what it may do now. */
export type KeyEntry = Access & {
  key_id: string;
  name: string;
  person_id: string | null;
  team_name: string;
  /** Null for a key that does not end by itself. */
  expires_at: Instant | null;
  /** Of the key of a build alone. `actor`: what is recorded in place of the key, which is forgotten when it ends. */
  build?: { hash: string; actor: string };
};

/** A key as it was made, with its own role. */
type OwnKey = Omit<KeyEntry, 'team_name' | 'person_role' | 'build'>;

export type KeyOfTeam = Pick<KeyEntry, 'key_id' | 'team_id'>;

/** A person's place in a team. */
export type Membership = { team_id: string; team_name: string; role: MemberRole };

/** A person with at least one team. `since`: when they joined while they were in none. */
export type Present = { since: Instant; memberships: readonly Membership[] };

/** Everything that an index holds, as plain data: the names of teams by id, the keys by hash, and the persons. */
export type KeyIndexContent = {
  /** `revoked`: how many keys the team has revoked. */
  teams: readonly (readonly [id: string, name: string, revoked: number])[];
  keys: readonly (readonly [hash: string, key: OwnKey])[];
  persons: readonly (readonly [
    id: string,
    since: Instant,
    roles: readonly (readonly [string, MemberRole])[],
  ])[];
};

export type KeyIndex = {
  apply(event: LedgerEvent): void;
  /** Adds what a former index held. */
  restore(content: KeyIndexContent): void;
  /** Blocks the keys of a team with an event that cannot be read: it may be the revocation of any of them. */
  block(team: string): void;
  /** True if any team is blocked. */
  hasBlocked(): boolean;
  /** The same object until something about the key changes. */
  get(hash: string): KeyEntry | null;
  isBlocked(team: string): boolean;
  /** A person with those of their teams that are not blocked; null for a person without one. */
  person(id: string): Present | null;
  /** The keys that expired after an instant and up to another one. */
  expired(after: Instant, until: Instant): KeyOfTeam[];
  /** The teams that have revoked so many keys, or more. */
  teamsThatRevoked(least: number): string[];
  /** Forgets the keys that have expired before this: from then on they are unknown. */
  dropExpired(before: Instant): void;
  content(): KeyIndexContent;
};

/** Long because all functions share the maps: each is short. */
export function openKeyIndex(): KeyIndex {
  const names = new Map<string, string>();
  const revoked = new Map<string, number>();
  const own = new Map<string, OwnKey>();
  const entries = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  /** The roles of each person by team. */
  const persons = new Map<string, { since: Instant; roles: Map<string, MemberRole> }>();
  /** The hashes of the keys of a person. */
  const keysOfPerson = new Map<string, Set<string>>();
  const blocked = new Set<string>();

  function add(hash: string, key: OwnKey): void {
    own.set(hash, key);
    hashes.set(key.key_id, hash);
    if (key.person_id !== null) setOf(keysOfPerson, key.person_id).add(hash);
    show(hash, key);
  }

  /** Sets the entry of a key. It stays the same object where nothing changed. */
  function show(hash: string, key: OwnKey): void {
    const roleOf = (person: string) => persons.get(person)?.roles.get(key.team_id) ?? null;
    const role = effectiveRole(key, roleOf);
    const person_role = key.person_id === null ? null : roleOf(key.person_id);
    const former = entries.get(hash);
    if (role === null) entries.delete(hash);
    else if (former?.role !== role || (role === 'reporter' && former.person_role !== person_role)) {
      entries.set(hash, { ...key, role, person_role, team_name: names.get(key.team_id) ?? '' });
    }
  }

  function remove(hash: string): void {
    const key = own.get(hash);
    if (key === undefined) return;
    own.delete(hash);
    entries.delete(hash);
    hashes.delete(key.key_id);
    const ofPerson = keysOfPerson.get(key.person_id ?? '');
    ofPerson?.delete(hash);
    if (ofPerson?.size === 0) keysOfPerson.delete(key.person_id ?? '');
  }

  /** `role`: null for a person who is no member any more. */
  function setRole(person: string, team: string, role: MemberRole | null, at: Instant): void {
    const present = persons.get(person) ?? { since: at, roles: new Map<string, MemberRole>() };
    if (role === null) present.roles.delete(team);
    else present.roles.set(team, role);
    if (present.roles.size === 0) persons.delete(person);
    else persons.set(person, present);
    for (const hash of keysOfPerson.get(person) ?? []) {
      const key = own.get(hash)!;
      if (key.team_id === team) show(hash, key);
    }
  }

  return {
    apply({ type, data, meta }) {
      switch (type) {
        case 'TeamCreated':
          names.set(data.team_id, data.name);
          return;
        case 'KeyCreated': {
          const { prefix: _, created_by: __, hash, ...key } = data;
          add(hash, { ...key, team_id: meta.team_id });
          return;
        }
        case 'KeyRevoked':
          revoked.set(meta.team_id, (revoked.get(meta.team_id) ?? 0) + 1);
          remove(hashes.get(data.key_id) ?? '');
          return;
        case 'KeyTakenOver': {
          const hash = hashes.get(data.key_id) ?? '';
          const key = own.get(hash);
          remove(hash);
          if (key !== undefined) add(hash, { ...key, person_id: data.person_id });
          return;
        }
        case 'MemberAdded':
        case 'MemberRoleChanged':
          setRole(data.person_id, meta.team_id, data.role, meta.at);
          return;
        case 'MemberRemoved':
          setRole(data.person_id, meta.team_id, null, meta.at);
          return;
        default:
          return;
      }
    },
    restore(content) {
      for (const [id, name, count] of content.teams) {
        names.set(id, name);
        if (count > 0) revoked.set(id, count);
      }
      for (const [person, since, roles] of content.persons)
        persons.set(person, { since, roles: new Map(roles) });
      for (const [hash, key] of content.keys) add(hash, key);
    },
    block: (team) => void blocked.add(team),
    hasBlocked: () => blocked.size > 0,
    isBlocked: (team) => blocked.has(team),
    get: (hash) => entries.get(hash) ?? null,
    person(id) {
      const { since = '', roles = [] } = persons.get(id) ?? {};
      const memberships = [...roles]
        .filter(([team]) => !blocked.has(team))
        .map(([team_id, role]) => ({ team_id, team_name: names.get(team_id) ?? '', role }));
      return memberships.length === 0 ? null : { since, memberships };
    },
    expired: (after, until) =>
      [...own.values()].filter(
        ({ expires_at }) => expires_at !== null && expires_at > after && expires_at <= until,
      ),
    teamsThatRevoked: (least) => [...revoked].filter(([, count]) => count >= least).map(([id]) => id),
    dropExpired(before) {
      for (const [hash, { expires_at }] of own) if (expires_at !== null && expires_at < before) remove(hash);
    },
    content: () => ({
      teams: [...names].map(([id, name]) => [id, name, revoked.get(id) ?? 0] as const),
      keys: [...own],
      persons: [...persons].map(([id, { since, roles }]) => [id, since, [...roles]] as const),
    }),
  };
}

function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const set = map.get(key) ?? new Set<V>();
  map.set(key, set);
  return set;
}
