/** `testledger keys create`: makes an API key, and prints it once. */
import type { Argv } from 'yargs';
import { addDays, instant, systemClock } from '../../../clock.js';
import { isId } from '../../../domain/ids.js';
import { normaliseInstant } from '../../../domain/instant.js';
import { keyRoles, type KeyRole } from '../../../domain/teams/team.js';
import { limits } from '../../../limits.js';
import { unwrap } from '../../../client/index.js';
import { withClient } from '../../api.js';
import { command, type Command } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes, type ExitCode } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import type { Terminal } from '../../terminal.js';

type KeyFlags = ServerFlags & {
  role: string;
  name: string;
  expires: string | undefined;
  project: string[] | undefined;
};
type LocalFlags = { local?: boolean; team?: string | undefined };
type Flags = KeyFlags & LocalFlags;

export type WantedKey = {
  name: string;
  role: KeyRole;
  expires_at?: string;
  project_ids?: [string, ...string[]];
};
export type MadeKey = { id: string; role: string; key: string };

/** Makes a key in the stores of this machine. `team`: undefined for that of the operator. */
export type CreateOnMachine = (team: string | undefined, key: WantedKey) => Promise<MadeKey>;

/** Without `createOnMachine` the command knows no `--local`: a client has no stores. */
export function createKeyCommand(createOnMachine?: CreateOnMachine): Command {
  return command<Flags>({
    command: 'create',
    describe: 'Make an API key, and print it once',
    flags: (parser) => (createOnMachine === undefined ? keyFlags(parser) : localFlags(keyFlags(parser))),
    run: (flags, terminal) => create(flags, terminal, createOnMachine),
  });
}

function keyFlags<T>(parser: Argv<T>): Argv<T & KeyFlags> {
  return serverFlags(parser)
    .option('role', {
      type: 'string',
      choices: keyRoles,
      demandOption: true,
      describe: 'The rights of the key; `reporter` is for pipelines',
    })
    .option('project', {
      type: 'string',
      array: true,
      describe: 'The id of a project; the key sees and writes these alone. By default all of the team',
    })
    .option('expires', {
      type: 'string',
      describe: 'When it ends: a time as 2027-02-01T00:00:00Z, or days from now as 90d. By default never',
    })
    .option('name', { type: 'string', default: 'command line', describe: 'A name for people' });
}

function localFlags<T>(parser: Argv<T>): Argv<T & LocalFlags> {
  return parser
    .option('local', {
      type: 'boolean',
      default: false,
      describe: 'Write to the log on this machine, while no server runs: for a team without an owner key',
    })
    .option('team', {
      type: 'string',
      describe: `With --local: the id of the team, by default that of the operator`,
    });
}

async function create(
  { role, name, project, expires, local = false, team, ...flags }: Flags,
  terminal: Terminal,
  createOnMachine?: CreateOnMachine,
): Promise<ExitCode> {
  if (team !== undefined && !local)
    failWith('usage', '--team needs --local: a server makes keys of its own team');
  if (team !== undefined && !isId('team', team))
    failWith('usage', '--team must be the id of a team; GET /v1/me shows it');
  const { length } = Array.from(name);
  if (length < limits.nameLeast || length > limits.nameLength || !name.isWellFormed()) {
    failWith('usage', `--name must have ${limits.nameLeast} to ${limits.nameLength} characters`);
  }
  const key: WantedKey = {
    name,
    role: role as KeyRole,
    ...(expires !== undefined && { expires_at: endOf(expires) }),
    ...(project !== undefined && { project_ids: projectsOf(project) }),
  };
  const made =
    local && createOnMachine !== undefined
      ? await createOnMachine(team, key)
      : await withClient(flags, async (client) => {
          return (await unwrap<{ data: MadeKey }>(client.POST('/v1/keys', { body: key }))).data;
        });
  terminal.note(`made the key ${made.id} of the role ${made.role}; it is shown only now:`);
  // The key alone goes to stdout, so that a script can store it.
  terminal.result(made, [made.key]);
  return exitCodes.ok;
}

/** The end of a key, as the server takes it. @throws CliError `usage` */
function endOf(text: string): string {
  const days = /^([1-9][0-9]{0,3})d$/.exec(text)?.[1];
  const end = days === undefined ? normaliseInstant(text) : addDays(instant(systemClock), Number(days));
  return (
    end ?? failWith('usage', '--expires must be a time such as 2027-02-01T00:00:00Z, or days such as 90d')
  );
}

/** @throws CliError `usage` */
function projectsOf(ids: readonly string[]): [string, ...string[]] {
  const other = ids.find((id) => !isId('project', id));
  if (ids.length === 0 || other !== undefined) {
    failWith('usage', '--project must be the id of a project; `testledger projects list` shows it');
  }
  return ids as [string, ...string[]];
}
