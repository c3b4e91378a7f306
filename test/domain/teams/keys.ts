import type { EventData } from '../../../src/domain/events.js';
import type { KeyRole } from '../../../src/domain/teams/team.js';
import { idOf } from '../ids.js';

/** The n-th key of a team. */
export function keyOf(
  n: number,
  role: KeyRole = 'owner',
  person_id: string | null = null,
): EventData['KeyCreated'] {
  return {
    key_id: idOf('key', n),
    name: `key ${n}`,
    role,
    hash: String(n).repeat(64),
    prefix: 'tl_abcde',
    expires_at: null,
    project_ids: null,
    person_id,
    created_by: null,
  };
}
