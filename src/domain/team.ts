/** A team and its API keys. */
import { fail } from '../errors.js';
import type { Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, TeamEvent } from './events.js';

/** Rising: each may do what those before it may. */
export const keyRoles = ['viewer', 'member', 'admin', 'owner'] as const;
export type KeyRole = (typeof keyRoles)[number];

export type Key = {
  key_id: string;
  name: string;
  role: KeyRole;
  hash: string;
  prefix: string;
  created_by: string | null;
  created_at: Instant;
  revoked_at: Instant | null;
};

export type Team =
  | { exists: false }
  | { exists: true; team_id: string; name: string; created_at: Instant; keys: readonly Key[] };

export type TeamCommand =
  | { type: 'CreateTeam'; team_id: string; name: string; firstKey: EventData['KeyCreated'] }
  | { type: 'CreateKey'; key: EventData['KeyCreated']; maker: KeyRole }
  | { type: 'RevokeKey'; key_id: string };

export const team: Decider<Team, TeamCommand, TeamEvent> = {
  initial: { exists: false },

  decide(command, state) {
    if (command.type === 'CreateTeam') {
      if (state.exists) fail('write_conflict', 'The team is there already.');
      return [
        { type: 'TeamCreated', data: { team_id: command.team_id, name: command.name } },
        { type: 'KeyCreated', data: command.firstKey },
      ];
    }
    if (!state.exists) fail('not_found', 'There is no such team.');
    switch (command.type) {
      case 'CreateKey':
        if (!atLeast(command.maker, command.key.role)) {
          fail('forbidden', `A key of role ${command.maker} cannot make one of role ${command.key.role}.`);
        }
        return [{ type: 'KeyCreated', data: command.key }];
      case 'RevokeKey': {
        const key = state.keys.find(({ key_id }) => key_id === command.key_id);
        if (key === undefined) fail('not_found', 'There is no such key.');
        return key.revoked_at === null ? [{ type: 'KeyRevoked', data: { key_id: command.key_id } }] : [];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'TeamCreated':
        return { exists: true, ...event.data, created_at: event.meta.at, keys: [] };
      case 'KeyCreated': {
        if (!state.exists) return state;
        const { person_id: _, ...key } = event.data;
        return { ...state, keys: [...state.keys, { ...key, created_at: event.meta.at, revoked_at: null }] };
      }
      case 'KeyRevoked':
        if (!state.exists) return state;
        return {
          ...state,
          keys: state.keys.map((key) =>
            key.key_id === event.data.key_id ? { ...key, revoked_at: event.meta.at } : key,
          ),
        };
      default:
        return state;
    }
  },
};

/** Whether a role may do what another may. */
export function atLeast(role: KeyRole, needed: KeyRole): boolean {
  return keyRoles.indexOf(role) >= keyRoles.indexOf(needed);
}
