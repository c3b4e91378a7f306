/**
 * The valid keys by their hash, and the members of teams, folded from the events of all teams. A key follows its person:
 * it has the lower of its own role and the person's present one, and it is invalid while they are no member.
 */
import type { LedgerEvent } from '../domain/events.js';
import { effectiveRole, type KeyRole } from '../domain/roles.js';

/** `role`: what the key may do now. */
export type KeyEntry = {
  key_id: string;
  name: string;
  role: KeyRole;
  person_id: string | null;
  team_id: string;
  team_name: string;
};

/** A key as it was made, with its own role. */
type OwnKey = Omit<KeyEntry, 'team_name'>;

/** A person's place in a team. */
export type Membership = { team_id: string; team_name: string; role: KeyRole };

/** Everything that an index holds, as plain data: the names of teams by id, the keys by hash, and the members. */
export type KeyIndexContent = {
  teams: readonly (readonly [id: string, name: string])[];
  keys: readonly (readonly [hash: string, key: OwnKey])[];
  members: readonly (readonly [person: string, team: string, role: KeyRole])[];
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
  /** The teams of a person that are not blocked, in the order in which they joined them. */
  memberships(person: string): Membership[];
  content(): KeyIndexContent;
};

/** Long because all functions share the maps: each is short. */
export function openKeyIndex(): KeyIndex {
  const names = new Map<string, string>();
  const own = new Map<string, OwnKey>();
  const entries = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  /** The roles of a person by team. */
  const members = new Map<string, Map<string, KeyRole>>();
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
    const role = effectiveRole(key, (person) => members.get(person)?.get(key.team_id) ?? null);
    if (role === null) entries.delete(hash);
    else if (entries.get(hash)?.role !== role) {
      entries.set(hash, { ...key, role, team_name: names.get(key.team_id) ?? '' });
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
  function setRole(person: string, team: string, role: KeyRole | null): void {
    const teams = members.get(person) ?? new Map<string, KeyRole>();
    members.set(person, teams);
    if (role === null) teams.delete(team);
    else teams.set(team, role);
    if (teams.size === 0) members.delete(person);
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
          const { key_id, name, role, hash, person_id } = data;
          add(hash, { key_id, name, role, person_id, team_id: meta.team_id });
          return;
        }
        case 'KeyRevoked':
          remove(hashes.get(data.key_id) ?? '');
          return;
        case 'MemberAdded':
        case 'MemberRoleChanged':
          setRole(data.person_id, meta.team_id, data.role);
          return;
        case 'MemberRemoved':
          setRole(data.person_id, meta.team_id, null);
          return;
        default:
          return;
      }
    },
    restore(content) {
      for (const [id, name] of content.teams) names.set(id, name);
      for (const [person, team, role] of content.members) setRole(person, team, role);
      for (const [hash, key] of content.keys) add(hash, key);
    },
    block: (team) => void blocked.add(team),
    hasBlocked: () => blocked.size > 0,
    isBlocked: (team) => blocked.has(team),
    get: (hash) => entries.get(hash) ?? null,
    memberships: (person) =>
      [...(members.get(person) ?? [])]
        .filter(([team]) => !blocked.has(team))
        .map(([team_id, role]) => ({ team_id, team_name: names.get(team_id) ?? '', role })),
    content: () => ({
      teams: [...names],
      keys: [...own],
      members: [...members].flatMap(([person, teams]) =>
        [...teams].map(([team, role]) => [person, team, role] as const),
      ),
    }),
  };
}

function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const set = map.get(key) ?? new Set<V>();
  map.set(key, set);
  return set;
}
