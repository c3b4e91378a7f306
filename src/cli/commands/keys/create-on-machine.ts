/** Makes an API key on the machine, for a team that has lost the key of its owner. */
import { isFolderInUse, openExistingState, openLogAlone, describeStore } from '../../../adapters/open.js';
import { instant, systemClock } from '../../../clock.js';
import { openCommandHandler } from '../../../commands/command-handler.js';
import { systemContext } from '../../../commands/command-context.js';
import { createKey, OPERATOR_TEAM } from '../../../commands/teams.js';
import type { Config } from '../../../config.js';
import { isAppError } from '../../../errors.js';
import { openStopList } from '../../../stop-list.js';
import { onStores } from '../../on-stores.js';
import { failWith } from '../../errors.js';
import type { MadeKey, WantedKey } from './create.js';

/**
 * Appends a key to the log of the configuration. `team`: by default that of the operator.
 * @throws CliError `configuration_invalid`, `ledger_missing`, `folder_in_use`, `team_unknown`
 */
export function createKeyOnMachine(team: string = OPERATOR_TEAM, key: WantedKey): Promise<MadeKey> {
  return onStores((config) => createIn(config, team, key));
}

async function createIn(config: Config, team: string, options: WantedKey): Promise<MadeKey> {
  const state = await openExistingState(config);
  await state?.close();
  if (state === null) failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
  const { onStop, stop } = openStopList();
  try {
    const log = await openLogAlone(config, onStop);
    const context = systemContext(team, instant(systemClock), 'command-line');
    const wanted = { ...options, maker: 'operator', createdBy: null } as const;
    const { key } = await createKey(openCommandHandler(log), context, wanted);
    return { id: key.id, role: key.role, key: key.key };
  } catch (error) {
    if (isFolderInUse(error)) failWith('folder_in_use', IN_USE);
    if (isAppError(error, 'not_found')) failWith('team_unknown', `there is no team ${team}`);
    throw error;
  } finally {
    await stop();
  }
}

const IN_USE = `A server is running on these files, and files have one writer. Nothing is lost while it is stopped: clients
repeat what is refused. If you still have a key with the role owner or admin, leave out --local: the running server then
makes the key.`;
