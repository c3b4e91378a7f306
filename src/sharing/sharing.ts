/** What a team shows to people outside of it: links to runs, and badges of branches. */
import type { Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { State } from '../ports/state.js';
import { openBadges, type Badge, type Badges } from './badges.js';
import { openRunLinks, type RunLink, type RunLinks } from './run-links.js';
import { openShares } from './shares.js';

export type Sharing = {
  links: RunLinks;
  badges: Badges;
  /** Ends those of a run or project that is gone. */
  endOf(team: string, id: string): Promise<void>;
  /** Ends the badges of branches in whose names a text is. `project`: only there. */
  endWith(team: string, project: string | null, text: string): Promise<void>;
};

export function openSharing(parts: {
  state: State;
  commands: Pick<CommandHandler, 'load'>;
  clock: Clock;
}): Sharing {
  const links = openShares<RunLink>(parts.state, 'link');
  const badges = openShares<Badge>(parts.state, 'badge');
  return {
    links: openRunLinks(parts),
    badges: openBadges(parts.state),
    async endOf(team, id) {
      await links.removeAll(team, ({ run_id, project_id }) => run_id === id || project_id === id);
      await badges.removeAll(team, ({ project_id }) => project_id === id);
    },
    endWith: (team, project, text) =>
      badges.removeAll(
        team,
        ({ project_id, branch }) => (project ?? project_id) === project_id && branch.includes(text),
      ),
  };
}
