/** Makes an API key on the machine, for a team that has lost the key of its owner. */
import { isFolderInUse, openExistingState, openLogAlone, describeStore } from '../adapters/open.js';
import { instant, systemClock } from '../clock.js';
import { openLedger, systemContext } from '../commands/ledger.js';
import { createKey, OPERATOR_TEAM } from '../commands/teams.js';
import type { Config } from '../config.js';
import { isId } from '../domain/ids.js';
import { keyRoles, type KeyRole } from '../domain/team.js';
import { isLedgerError } from '../errors.js';
import { limits } from '../limits.js';

/** As they are on the command line. */
export type KeyOptions = { role?: string | undefined; team?: string | undefined; name?: string | undefined };

/** Returns the exit code: 0 if the key was made. `print` gets the key, once; `explain` gets everything else. */
export async function createKeyOnMachine(
  config: Config,
  { role, team = OPERATOR_TEAM, name = 'command line' }: KeyOptions,
  print: (line: string) => void,
  explain: (line: string) => void,
): Promise<number> {
  const fault = faultOf({ role, team, name });
  if (fault !== null) {
    explain(fault);
    return 2;
  }
  const state = await openExistingState(config);
  await state?.close();
  if (state === null) {
    explain(`there is no ledger in ${describeStore(config.views)}; set DATA_DIR, or start the server first`);
    return 1;
  }
  const ends: (() => Promise<void> | void)[] = [];
  try {
    const log = await openLogAlone(config, (end) => void ends.push(end));
    const context = systemContext(team, instant(systemClock), 'command-line');
    const wanted = { name, role: role as KeyRole, maker: 'operator', createdBy: null } as const;
    const { key } = await createKey(openLedger(log), context, wanted);
    explain(`made the key ${key.id} of the role ${key.role} in ${team}; it is shown only now:`);
    print(key.key);
    return 0;
  } catch (error) {
    if (isFolderInUse(error)) {
      explain(IN_USE);
      return 1;
    }
    if (!isLedgerError(error, 'not_found')) throw error;
    explain(`there is no team ${team}`);
    return 1;
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

const IN_USE = `A server is running on these files, and files have one writer.
Stop the server, run this command again, and start the server. Nothing is lost: clients repeat what is refused.
If you still have a key with the role owner or admin, POST /v1/keys makes a key while the server runs.`;

/** Returns the fault in the options, for a person; null if they are right. */
function faultOf({
  role,
  team,
  name,
}: {
  role?: string | undefined;
  team: string;
  name: string;
}): string | null {
  if (role === undefined || !(keyRoles as readonly string[]).includes(role)) {
    return `--role must be one of ${keyRoles.join(', ')}`;
  }
  if (!isId('team', team)) return `--team must be the id of a team; GET /v1/me shows it`;
  const { length } = Array.from(name);
  if (length < limits.nameLeast || length > limits.nameLength || !name.isWellFormed()) {
    return `--name must have ${limits.nameLeast} to ${limits.nameLength} characters`;
  }
  return null;
}
