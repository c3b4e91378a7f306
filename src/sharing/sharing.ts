/** What a team shows to people outside of it: links to runs, and badges of branches. */
import type { Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { State } from '../ports/state.js';
import { openBadges, type Badges } from './badges.js';
import { openRunLinks, type RunLinks } from './run-links.js';

export type Sharing = { links: RunLinks; badges: Badges };

export function openSharing(parts: {
  state: State;
  commands: Pick<CommandHandler, 'load'>;
  clock: Clock;
}): Sharing {
  return { links: openRunLinks(parts), badges: openBadges(parts.state) };
}
