/** Exchanges the token of a build for a key of one project, which lives for a while. */
import { Duration } from 'luxon';
import { projectDocuments } from '../../projections/records/projects.js';
import { records } from '../../projections/records/records.js';
import type { Tallies } from '../audit/tallies.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { newIds } from '../commands/ids.js';
import { teamStream } from '../commands/teams.js';
import type { Instant } from '../domain/event.js';
import { isId } from '../domain/ids.js';
import { none } from '../domain/life.js';
import { project } from '../domain/project.js';
import { team } from '../domain/teams/team.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { invalid, isAppError } from '../errors.js';
import { limits } from '../limits.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews } from '../projecting/typed-views.js';
import type { BuildKeys } from './build-keys.js';
import { buildText } from './build-text.js';
import { checkToken } from './check-token.js';
import type { ExchangeLimits } from './exchange-limits.js';
import type { IssuerKeys } from './issuer-keys.js';

export type Exchange = (wanted: WantedBuildKey, address: string) => Promise<MadeBuildKey>;
export type WantedBuildKey = { token: string; project_id: string; ttl?: string };
export type MadeBuildKey = { key: string; expires_at: Instant; project_id: string };

type Parts = {
  commands: Pick<CommandHandler, 'load'>;
  views: ViewReader;
  builds: Pick<BuildKeys, 'make'>;
  keys: IssuerKeys;
  allowance: ExchangeLimits;
  /** Counts the exchanges for the audit of the team. */
  count: Tallies['count'];
  clock: Clock;
};

const DEFAULT_TTL = 'PT15M';

/** It throws AppError `invalid_token`, `rate_limited`, `validation_failed`. `address`: that of the client. */
export function openExchange({ commands, views, builds, keys, allowance, count, clock }: Parts): Exchange {
  const read = typedViews(views, records);

  return async ({ token, project_id, ttl = DEFAULT_TTL }, address) => {
    const lifeMs = lifeOf(ttl);
    const [found] = isId('project', project_id) ? await read.get(projectDocuments, [project_id]) : [];
    // As in a project without a trust, so that strangers learn nothing of projects.
    const team_id = found?.team_id ?? '';
    // From the log: a trust works as soon as it was answered, and no longer than until it was removed.
    const state =
      found == null ? none : await commands.load(project, streamNameOf('project', team_id, project_id));
    const trusts = state.life === 'present' ? state.trusts : [];
    const { trust, claims } = await checkToken(token, trusts, { keys, team: team_id, now: clock() }).catch(
      (error: unknown) => {
        if (isAppError(error, 'invalid_token')) allowance.refused(address);
        throw error;
      },
    );
    allowance.exchanged(trust.trust_id);
    const ofTeam = await commands.load(team, teamStream(team_id), { mayBeBehind: true });
    const expires_at = addMilliseconds(instant(clock), lifeMs);
    const key = await builds.make({
      key_id: newIds.created('key'),
      name: buildText(claims),
      team_id,
      team_name: ofTeam.life === 'present' ? ofTeam.name : '',
      project_id,
      trust_id: trust.trust_id,
      expires_at,
    });
    const subject = { type: 'trust', id: trust.trust_id };
    const details = { project_id, issuer: trust.issuer };
    const sender = { actor: 'system', correlationId: trust.trust_id };
    count([team_id], { act: 'ci_token_exchanged', subject, details }, sender);
    return { key, expires_at, project_id };
  };
}

function lifeOf(ttl: string): number {
  const ms = Duration.fromISO(ttl).toMillis();
  if (!(ms >= 1_000)) invalid('/ttl', 'not_valid', 'must be an ISO 8601 duration, such as PT15M');
  if (ms > limits.buildKeyMs) invalid('/ttl', 'too_large', 'must be at most PT6H');
  return ms;
}
