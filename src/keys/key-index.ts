/** The valid keys by their hash, folded from the events of all teams. */
import type { LedgerEvent } from '../domain/events.js';
import type { KeyRole } from '../domain/team.js';

export type KeyEntry = {
  key_id: string;
  name: string;
  role: KeyRole;
  team_id: string;
  team_name: string;
};

/** Everything that an index holds, as plain data: the names of teams by id, and the keys by hash. */
export type KeyIndexContent = {
  teams: readonly (readonly [id: string, name: string])[];
  keys: readonly (readonly [hash: string, key: Omit<KeyEntry, 'team_name'>])[];
};

export type KeyIndex = {
  apply(event: LedgerEvent): void;
  /** Adds what a former index held. */
  restore(content: KeyIndexContent): void;
  /** Blocks the keys of a team with an event that cannot be read: it may be the revocation of any of them. */
  block(team: string): void;
  /** True if any team is blocked. */
  hasBlocked(): boolean;
  get(hash: string): KeyEntry | null;
  isBlocked(team: string): boolean;
  content(): KeyIndexContent;
};

export function openKeyIndex(): KeyIndex {
  const names = new Map<string, string>();
  const keys = new Map<string, KeyEntry>();
  const hashes = new Map<string, string>();
  const blocked = new Set<string>();

  function add(hash: string, key: Omit<KeyEntry, 'team_name'>): void {
    keys.set(hash, { ...key, team_name: names.get(key.team_id) ?? '' });
    hashes.set(key.key_id, hash);
  }

  return {
    apply(event) {
      switch (event.type) {
        case 'TeamCreated':
          names.set(event.data.team_id, event.data.name);
          return;
        case 'KeyCreated': {
          const { key_id, name, role, hash } = event.data;
          add(hash, { key_id, name, role, team_id: event.meta.team_id });
          return;
        }
        case 'KeyRevoked':
          keys.delete(hashes.get(event.data.key_id) ?? '');
          hashes.delete(event.data.key_id);
          return;
        default:
          return;
      }
    },
    restore(content) {
      for (const [id, name] of content.teams) names.set(id, name);
      for (const [hash, key] of content.keys) add(hash, key);
    },
    block: (team) => void blocked.add(team),
    hasBlocked: () => blocked.size > 0,
    isBlocked: (team) => blocked.has(team),
    get: (hash) => keys.get(hash) ?? null,
    content: () => ({
      teams: [...names],
      keys: [...keys].map(([hash, { team_name: _, ...key }]) => [hash, key] as const),
    }),
  };
}
