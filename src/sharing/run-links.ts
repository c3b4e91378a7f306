/**
 * Links to runs. A link shows one run to whoever has it, until it ends: at its time, when somebody revokes it, or with the
 * key or person that made it, or with their right to make one. That is looked up at each use, so it holds on every node at once.
 */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { teamStream } from '../commands/teams.js';
import type { Instant } from '../domain/event.js';
import { normaliseInstant } from '../domain/instant.js';
import type { TeamMember } from '../domain/teams/members.js';
import { atLeast, effectiveRole } from '../domain/teams/roles.js';
import { team, type Team } from '../domain/teams/team.js';
import { fail, invalid } from '../errors.js';
import { limits } from '../limits.js';
import type { State } from '../ports/state.js';
import { openShares } from './shares.js';

/**
 * `created_by`: the key or the person. `member_since`: when that person became a member, so that a link of one who was
 * removed does not work again when they are invited again; null for a key.
 */
export type RunLink = {
  id: string;
  team_id: string;
  project_id: string;
  run_id: string;
  expires_at: Instant;
  created_at: Instant;
  created_by: string;
  member_since: Instant | null;
};

export type RunLinks = {
  /** Returns the link with its token. @throws AppError `link_limit`, `already_answered` */
  make(link: Omit<RunLink, 'member_since'>): Promise<{ link: RunLink; token: string }>;
  /** Null for a token that is wrong, or whose link has ended. */
  find(token: string): Promise<RunLink | null>;
  /** Those of a run that have not ended, oldest first. */
  of(run: Pick<RunLink, 'team_id' | 'run_id'>): Promise<RunLink[]>;
  /** Returns whether there was one. */
  revoke(link: Pick<RunLink, 'team_id' | 'run_id' | 'id'>): Promise<boolean>;
};

/** The role that the routes of links ask for. */
const NEEDED = 'member';
const DAY_MS = 86_400_000;
const USUAL_MS = 7 * DAY_MS;

/** A key makes no link that ends later than itself. @throws AppError `validation_failed`, `forbidden` */
export function endOfLink(
  wanted: string | null | undefined,
  { at, keyEnds }: { at: Instant; keyEnds: Instant | null },
): Instant {
  if (wanted === undefined || wanted === null) {
    const usual = addMilliseconds(at, USUAL_MS);
    return keyEnds !== null && keyEnds < usual ? keyEnds : usual;
  }
  const end = normaliseInstant(wanted) ?? invalid('/expires_at', 'not_an_instant', 'must be an instant');
  if (end <= at) invalid('/expires_at', 'not_valid', 'must be in the future');
  if (end > addMilliseconds(at, limits.linkMs))
    invalid('/expires_at', 'too_large', `must be at most ${limits.linkMs / DAY_MS} days ahead`);
  if (keyEnds !== null && end > keyEnds)
    fail('forbidden', `A key cannot make a link that ends later than itself, at ${keyEnds}.`);
  return end;
}

type Parts = { state: State; commands: Pick<CommandHandler, 'load'>; clock: Clock };

export function openRunLinks({ state, commands, clock }: Parts): RunLinks {
  const shares = openShares<RunLink>(state, 'link');
  const placeOf = ({ team_id, run_id }: Pick<RunLink, 'team_id' | 'run_id'>) => `${team_id}/${run_id}`;
  const teamOf = (id: string) => commands.load(team, teamStream(id));
  const isOver = ({ expires_at }: RunLink) => expires_at <= instant(clock);

  async function of(run: Pick<RunLink, 'team_id' | 'run_id'>): Promise<RunLink[]> {
    const [links, present] = await Promise.all([shares.of(placeOf(run)), teamOf(run.team_id)]);
    return links.filter((link) => !isOver(link) && hasMaker(present, link));
  }

  return {
    async make(wanted) {
      const present = await teamOf(wanted.team_id);
      const link = { ...wanted, member_since: memberOf(present, wanted.created_by)?.added_at ?? null };
      const token = await shares.make(placeOf(link), link, link.expires_at);
      // The count comes last, so that several at once do not pass the limit.
      if ((await of(link)).length > limits.linksPerRun) {
        await shares.remove(placeOf(link), link.id);
        fail('link_limit', `A run can have at most ${limits.linksPerRun} links.`);
      }
      return { link, token };
    },
    async find(token) {
      const link = await shares.find(token);
      if (link === null || isOver(link)) return null;
      return hasMaker(await teamOf(link.team_id), link) ? link : null;
    },
    of,
    revoke: ({ id, ...run }) => shares.remove(placeOf(run), id),
  };
}

function memberOf(team: Team, person: string | null): TeamMember | undefined {
  return team.life === 'none' ? undefined : team.members.find(({ person_id }) => person_id === person);
}

/** Whether the key or the membership that made a link is still there, and may still make one. */
function hasMaker(team: Team, { created_by, member_since }: RunLink): boolean {
  if (team.life === 'none') return false;
  if (member_since !== null) {
    const member = memberOf(team, created_by);
    return member?.added_at === member_since && atLeast(member.role, NEEDED);
  }
  const key = team.keys.find(({ key_id, revoked_at }) => key_id === created_by && revoked_at === null);
  const role = key && effectiveRole(key, (person) => memberOf(team, person)?.role ?? null);
  return role != null && atLeast(role, NEEDED);
}
