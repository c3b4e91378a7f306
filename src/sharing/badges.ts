/** Badges: the state of a branch as a picture, for a page outside of the team. They belong to the project, as its trusts do. */
import type { Instant } from '../domain/event.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import type { State } from '../ports/state.js';
import { openShares } from './shares.js';

/** `created_by`: a key or a person. */
export type Badge = {
  id: string;
  team_id: string;
  project_id: string;
  branch: string;
  created_at: Instant;
  created_by: string;
};

export type Badges = {
  /** Returns the token. @throws AppError `badge_limit`, `already_answered` */
  make(badge: Badge): Promise<string>;
  find(token: string): Promise<Badge | null>;
  /** Those of a project, oldest first. */
  of(project: Pick<Badge, 'team_id' | 'project_id'>): Promise<Badge[]>;
  /** Returns whether there was one. */
  remove(badge: Pick<Badge, 'team_id' | 'project_id' | 'id'>): Promise<boolean>;
};

export function openBadges(state: State): Badges {
  const shares = openShares<Badge>(state, 'badge');
  const placeOf = ({ team_id, project_id }: Pick<Badge, 'team_id' | 'project_id'>) =>
    `${team_id}/${project_id}`;

  return {
    async make(badge) {
      const token = await shares.make(placeOf(badge), badge);
      // The count comes last, so that several at once do not pass the limit.
      if ((await shares.of(placeOf(badge))).length > limits.badgesPerProject) {
        await shares.remove(placeOf(badge), badge.id);
        fail('badge_limit', `A project can have at most ${limits.badgesPerProject} badges.`);
      }
      return token;
    },
    find: (token) => shares.find(token),
    of: (project) => shares.of(placeOf(project)),
    remove: ({ id, ...project }) => shares.remove(placeOf(project), id),
  };
}
