/** A team and its API keys. */
import { fail } from '../errors.js';
import type { Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, TeamEvent } from './events.js';
import { mustBeNone, mustBePresent, none, notFound, type None, type Present } from './life.js';

/** In rising order: each role may do everything that the roles before it may do. */
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
  None | Present<{ team_id: string; name: string; created_at: Instant; keys: readonly Key[] }>;

export type TeamCommand =
  | { type: 'CreateTeam'; team_id: string; name: string; firstKey: EventData['KeyCreated'] }
  | { type: 'CreateKey'; key: EventData['KeyCreated']; maker: KeyRole }
  | { type: 'RevokeKey'; key_id: string };

export const team: Decider<Team, TeamCommand, TeamEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateTeam':
        mustBeNone(state, 'team');
        return [
          { type: 'TeamCreated', data: { team_id: command.team_id, name: command.name } },
          { type: 'KeyCreated', data: command.firstKey },
        ];
      case 'CreateKey':
        mustBePresent(state, 'team');
        if (!atLeast(command.maker, command.key.role)) {
          fail('forbidden', `A key of role ${command.maker} cannot make a key of role ${command.key.role}.`);
        }
        return [{ type: 'KeyCreated', data: command.key }];
      case 'RevokeKey': {
        const { keys } = mustBePresent(state, 'team');
        const key = keys.find(({ key_id }) => key_id === command.key_id) ?? notFound('key');
        return key.revoked_at === null ? [{ type: 'KeyRevoked', data: { key_id: command.key_id } }] : [];
      }
    }
  },

  evolve(state, event) {
    if (event.type === 'TeamCreated') {
      return { life: 'present', ...event.data, created_at: event.meta.at, keys: [] };
    }
    if (state.life === 'none') return state;
    switch (event.type) {
      case 'KeyCreated': {
        const { person_id: _, ...key } = event.data;
        return { ...state, keys: [...state.keys, { ...key, created_at: event.meta.at, revoked_at: null }] };
      }
      case 'KeyRevoked':
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

/** Whether a role may do everything that another role may do. */
export function atLeast(role: KeyRole, needed: KeyRole): boolean {
  return keyRoles.indexOf(role) >= keyRoles.indexOf(needed);
}
