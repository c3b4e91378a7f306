/** Teams: the operator's, made on an empty log, and those that its owners make. */
import { START, streamName } from '../domain/event.js';
import { hashOfKey, newApiKey, prefixOfKey } from '../domain/api-key.js';
import type { EventData } from '../domain/events.js';
import { team, type KeyRole } from '../domain/team.js';
import { fail, isLedgerError } from '../errors.js';
import { instant, type Clock } from '../clock.js';
import { newIds, type Ids } from './ids.js';
import { systemContext, type CommandContext, type Ledger } from './ledger.js';
import type { EventLog } from '../ports/event-log.js';

/** Fixed, so that several processes that start on one empty log make one team: the first append decides. */
export const OPERATOR_TEAM = 'team_00000000000000000000000000';

export type FirstStart =
  | { made: true; /** Made up here, to be shown once; null where it was given. */ key: string | null }
  | { made: false };

/** Makes the operator's team with its first owner key, where the log has none. */
export async function firstStart(
  log: EventLog,
  ledger: Ledger,
  clock: Clock,
  bootstrapKey: string | null,
): Promise<FirstStart> {
  if ((await log.head()) !== START) return { made: false };
  const key = bootstrapKey ?? newApiKey();
  const context = systemContext(OPERATOR_TEAM, instant(clock), 'first-start');
  try {
    await ledger.execute(team, teamStream(OPERATOR_TEAM), context, {
      type: 'CreateTeam',
      team_id: OPERATOR_TEAM,
      name: 'Operator',
      firstKey: keyFact(newIds, key, {
        name: bootstrapKey === null ? 'first key' : 'bootstrap',
        role: 'owner',
      }),
    });
    return { made: true, key: bootstrapKey === null ? key : null };
  } catch (error) {
    // Another process was first: its team is everybody's.
    if (isLedgerError(error, 'write_conflict')) return { made: false };
    throw error;
  }
}

/** A new team with its first owner key, which is answered this once. */
export async function createTeam(ledger: Ledger, context: CommandContext, name: string) {
  const team_id = context.ids.created('team');
  const key = newApiKey();
  const firstKey = keyFact(context.ids, key, { name: 'first key', role: 'owner' });
  const own = { ...context, team: team_id };
  const { state, appended } = await ledger.execute(team, teamStream(team_id), own, {
    type: 'CreateTeam',
    team_id,
    name,
    firstKey,
  });
  if (!state.exists || appended === null) return alreadyAnswered();
  return { team: { id: team_id, name, created_at: state.created_at, key }, position: appended.position };
}

/** A new key of the caller's team, which is answered this once. */
export async function createKey(
  ledger: Ledger,
  context: CommandContext,
  wanted: { name: string; role: KeyRole; maker: KeyRole },
) {
  const key = newApiKey();
  const fact = keyFact(context.ids, key, { ...wanted, createdBy: context.actor });
  const { appended } = await ledger.execute(team, teamStream(context.team), context, {
    type: 'CreateKey',
    key: fact,
    maker: wanted.maker,
  });
  if (appended === null) return alreadyAnswered();
  const { key_id: id, name, role } = fact;
  return { key: { id, name, role, created_at: context.at, key }, position: appended.position };
}

export function teamStream(id: string): string {
  return streamName('team', id, id);
}

/** An earlier try made it, and only that one knew the secret. */
function alreadyAnswered(): never {
  return fail('already_answered', 'This was done before; the secret in the answer is shown only once.');
}

function keyFact(
  ids: Ids,
  key: string,
  { name, role, createdBy = null }: { name: string; role: KeyRole; createdBy?: string | null },
): EventData['KeyCreated'] {
  return {
    key_id: ids.created('key'),
    name,
    role,
    hash: hashOfKey(key),
    prefix: prefixOfKey(key),
    person_id: null,
    created_by: createdBy,
  };
}
