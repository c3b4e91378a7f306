/** `testledger people`: what the pages cannot do where a team has no member who may do it. */
import type { Argv } from 'yargs';
import { presentSecretKeysOf } from '../../../adapters/files/secret-key.js';
import { systemClock } from '../../../clock.js';
import { OPERATOR_TEAM } from '../../../commands/teams.js';
import type { Config } from '../../../config.js';
import { isId } from '../../../domain/ids.js';
import { memberRoles, type MemberRole } from '../../../domain/teams/roles.js';
import { onThisMachine } from '../../../http/origin.js';
import {
  forgetOnMachine,
  inviteOnMachine,
  resetOnMachine,
  type OnMachine,
} from '../../../people/on-machine.js';
import { command, group, type SharedFlags } from '../../command.js';
import { onStores } from '../../on-stores.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { inspecting } from '../../inspecting.js';
import type { Terminal } from '../../terminal.js';

const invite = command<{ role: string; team: string }>({
  command: 'invite',
  describe: 'Make an invitation to a team, also to one without members',
  flags: (parser) =>
    parser
      .option('role', {
        type: 'string',
        choices: memberRoles,
        demandOption: true,
        describe: 'The role of the person who uses it',
      })
      .option('team', {
        type: 'string',
        default: OPERATOR_TEAM,
        defaultDescription: 'that of the operator',
        describe: 'The id of the team',
      }),
  run: async ({ role, team }, terminal) => {
    if (!isId('team', team)) failWith('usage', '--team must be the id of a team; GET /v1/me shows it');
    const link = await withPeople(async (people, config) => {
      const wanted = { team, role: role as MemberRole };
      const made = await inviteOnMachine(people, wanted);
      if (made === null) failWith('team_unknown', `there is no team ${team}`);
      return { ...made, url: `${originOfPages(config)}/invitations/${made.token}` };
    });
    return shown(terminal, `invitation as ${role}`, link);
  },
});

const resetLink = command<{ email: string }>({
  command: 'reset-link <email>',
  describe: 'Make a link with which a person sets a new password',
  flags: ofPerson,
  run: async ({ email }, terminal) => {
    const link = await withPeople(async (people, config) => {
      const secretKeys = await presentSecretKeysOf(config);
      const made = (await resetOnMachine({ ...people, secretKeys }, email)) ?? unknown();
      return { ...made, url: `${originOfPages(config)}/reset/${made.token}` };
    });
    return shown(terminal, 'link to a new password', link);
  },
});

const forget = command<{ email: string }>({
  command: 'forget <email>',
  describe: 'Forget a person who is in no team any more, for ever',
  flags: ofPerson,
  run: async ({ email }, terminal) => {
    const outcome = await withPeople(async (people, config) =>
      forgetOnMachine({ ...people, secretKeys: await presentSecretKeysOf(config) }, email),
    );
    if (outcome === 'unknown') unknown();
    if (outcome === 'member') failWith('person_in_team', 'the person is still in a team');
    terminal.result({ forgotten: true }, ['forgotten: nobody can read the name and the e-mail any more']);
    return exitCodes.ok;
  },
});

export const peopleCommand = group('people', 'People, on the machine of the server', [
  invite,
  resetLink,
  forget,
]);

function ofPerson(parser: Argv<SharedFlags>): Argv<{ email: string } & SharedFlags> {
  return parser.positional('email', {
    type: 'string',
    demandOption: true,
    describe: 'The e-mail with which the person signs in',
  });
}

/** Beside a running server. @throws CliError `ledger_missing` */
function withPeople<T>(work: (people: OnMachine, config: Config) => Promise<T>): Promise<T> {
  return onStores((config) =>
    inspecting(config, ({ state, log }) => work({ state, log, clock: systemClock }, config)),
  );
}

function originOfPages({ publicUrl, host, port }: Config): string {
  return publicUrl ?? onThisMachine(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** The link alone goes to stdout, so that a script can pass it on. */
function shown(
  terminal: Terminal,
  what: string,
  { url, expires_at }: { url: string; expires_at: string },
): typeof exitCodes.ok {
  terminal.note(`${what}; it works once, until ${expires_at}, and is shown only now:`);
  terminal.result({ url, expires_at }, [url]);
  return exitCodes.ok;
}

function unknown(): never {
  failWith('person_unknown', 'no account has this e-mail');
}
