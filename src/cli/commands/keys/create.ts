/** `testledger keys create`: makes an API key, and prints it once. */
import { OPERATOR_TEAM } from '../../../commands/teams.js';
import { isId } from '../../../domain/ids.js';
import { keyRoles, type KeyRole } from '../../../domain/team.js';
import { limits } from '../../../limits.js';
import { unwrap } from '../../../client/index.js';
import { withClient } from '../../api.js';
import { command, onStores } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import { createKeyOnMachine, type MadeKey } from './create-on-machine.js';

type Flags = ServerFlags & { role: string; name: string; team: string | undefined; local: boolean };

export const createKeyCommand = command<Flags>({
  command: 'create',
  describe: 'Make an API key, and print it once',
  flags: (parser) =>
    serverFlags(parser)
      .option('role', {
        type: 'string',
        choices: keyRoles,
        demandOption: true,
        describe: 'The rights of the key',
      })
      .option('name', { type: 'string', default: 'command line', describe: 'A name for people' })
      .option('local', {
        type: 'boolean',
        default: false,
        describe: 'Write to the log on this machine, while no server runs: for a team without an owner key',
      })
      .option('team', {
        type: 'string',
        describe: `With --local: the id of the team, by default that of the operator`,
      }),
  run: async ({ role, name, local, team: given, ...flags }, terminal) => {
    if (given !== undefined && !local)
      failWith('usage', '--team needs --local: a server makes keys of its own team');
    const team = given ?? OPERATOR_TEAM;
    if (!isId('team', team)) failWith('usage', '--team must be the id of a team; GET /v1/me shows it');
    const { length } = Array.from(name);
    if (length < limits.nameLeast || length > limits.nameLength || !name.isWellFormed()) {
      failWith('usage', `--name must have ${limits.nameLeast} to ${limits.nameLength} characters`);
    }
    const made = local
      ? await onStores((config) => createKeyOnMachine(config, { role: role as KeyRole, team, name }))
      : await withClient(flags, async (client) => {
          const body = { name, role: role as KeyRole };
          return (await unwrap<{ data: MadeKey }>(client.POST('/v1/keys', { body }))).data;
        });
    terminal.note(`made the key ${made.id} of the role ${made.role}; it is shown only now:`);
    // The key alone goes to stdout, so that a script can store it.
    terminal.result(made, [made.key]);
    return exitCodes.ok;
  },
});
