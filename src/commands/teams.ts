/** Teams: the operator's team, which the first start creates, and the teams that its owners create. */
import { START, streamName, type Instant } from '../domain/event.js';
import { hashOfKey, newApiKey, prefixOfKey } from '../domain/teams/api-key.js';
import type { EventData } from '../domain/events.js';
import { team, type KeyMaker, type KeyRole } from '../domain/teams/team.js';
import { fail, isAppError } from '../errors.js';
import { instant, type Clock } from '../clock.js';
import { newIds, type CommandIds } from './ids.js';
import { systemContext, type CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import type { EventLog } from '../ports/event-log.js';

/** A fixed id: if several processes start on one empty log, the first append decides and there is one team. */
export const OPERATOR_TEAM = 'team_00000000000000000000000000';

/**
 * Creates the operator's team if the log is empty, and returns whether it did. `key`: that of an owner; null without one. A
 * key that a start made would have to be printed, and logs of containers keep what is printed.
 */
export async function firstStart(
  log: EventLog,
  commands: CommandHandler,
  clock: Clock,
  key: string | null,
): Promise<boolean> {
  if ((await log.head()) !== START) return false;
  const context = systemContext(OPERATOR_TEAM, instant(clock), 'first-start');
  try {
    await commands.execute(team, teamStream(OPERATOR_TEAM), context, {
      type: 'CreateTeam',
      team_id: OPERATOR_TEAM,
      name: 'Operator',
      firstKey: key === null ? null : keyFact(newIds, key, { name: 'bootstrap', role: 'owner' }),
    });
    return true;
  } catch (error) {
    // Another process was first. All processes share its team.
    if (isAppError(error, 'write_conflict')) return false;
    throw error;
  }
}

/** Creates a team and its first owner key. Only this call returns the key. @throws AppError `already_answered`. */
export async function createTeam(commands: CommandHandler, context: CommandContext, name: string) {
  const team_id = context.ids.created('team');
  const key = newApiKey();
  const firstKey = keyFact(context.ids, key, { name: 'first key', role: 'owner' });
  // The team learns nothing of where the operator is.
  const own: CommandContext = { ...context, team: team_id, client: async () => null };
  const command = { type: 'CreateTeam', team_id, name, firstKey } as const;
  // Each try makes a key of its own: only the try whose key is in the log may show it.
  const { state, appended } = await commands.execute(team, teamStream(team_id), own, command, {
    differsByTry: true,
  });
  if (state.life === 'none' || appended === null) return alreadyAnswered();
  return { team: { id: team_id, name, created_at: state.created_at, key }, position: appended.position };
}

/** Without an end or projects, the key does not end by itself, or is one of all projects. */
export type WantedKey = {
  name: string;
  role: KeyRole;
  expires_at?: Instant | null;
  project_ids?: readonly string[] | null;
};

/**
 * Where a key comes from. `personId`: the person who makes it, or the person of the key that makes it; the key follows
 * them. `createdBy`: the key that makes it, or the person without one.
 */
export type KeyOrigin = { personId?: string | null; createdBy?: string | null };

/**
 * Creates a key of the caller's team. Only this call returns it. @throws AppError `forbidden`, `key_limit`,
 * `already_answered`.
 */
export async function createKey(
  commands: CommandHandler,
  context: CommandContext,
  wanted: WantedKey & { maker: KeyMaker } & KeyOrigin,
) {
  const key = newApiKey();
  const fact = keyFact(context.ids, key, { createdBy: context.actor, ...wanted });
  const command = { type: 'CreateKey', key: fact, maker: wanted.maker, at: context.at } as const;
  const { appended } = await commands.execute(team, teamStream(context.team), context, command, {
    differsByTry: true,
  });
  if (appended === null) return alreadyAnswered();
  const { key_id: id, name, role, expires_at, project_ids } = fact;
  return {
    key: { id, name, role, expires_at, project_ids, created_at: context.at, key },
    position: appended.position,
  };
}

export function teamStream(id: string): string {
  return streamName('team', id, id);
}

/** An earlier try did it, and only that try had the secret. */
function alreadyAnswered(): never {
  return fail('already_answered', 'This was done before. The secret in the answer is shown only once.');
}

function keyFact(
  ids: CommandIds,
  key: string,
  {
    name,
    role,
    expires_at = null,
    project_ids = null,
    createdBy = null,
    personId = null,
  }: WantedKey & KeyOrigin,
): EventData['KeyCreated'] {
  return {
    key_id: ids.created('key'),
    name,
    role,
    hash: hashOfKey(key),
    prefix: prefixOfKey(key),
    expires_at,
    project_ids: project_ids && (project_ids as [string, ...string[]]),
    person_id: personId,
    created_by: createdBy,
  };
}
