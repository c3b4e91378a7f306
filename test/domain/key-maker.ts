/** Whoever makes or revokes keys: of all projects and without an end, unless the test says otherwise. */
import type { KeyMaker, KeyRole } from '../../src/domain/teams/team.js';

export function keyMaker(role: KeyRole, more: object = {}): Exclude<KeyMaker, 'operator'> {
  return { role, project_ids: null, expires_at: null, ...more };
}
