/** The flag that says in which environment tests ran: of commands that make a run or find one by the build. */
import type { Argv } from 'yargs';
import { givenEnvironment } from '../client/ci/given-environment.js';
import type { Environment } from '../domain/environment.js';
import { failWith } from './errors.js';
import type { Terminal } from './terminal.js';

/** A list where it is given several times. */
export type EnvironmentFlag = { environment: string | string[] | undefined };

export function environmentFlag<T>(parser: Argv<T>): Argv<T & EnvironmentFlag> {
  // No array to the parser, which would take the files behind it for values.
  return parser.option('environment', {
    type: 'string',
    requiresArg: true,
    describe: 'Such as os=windows,node=22, or a JSON object: TESTLEDGER_ENVIRONMENT, or the operating system',
  });
}

/** Undefined where neither the flag nor its variable says it. @throws CliError `usage` */
export function wantedEnvironment(
  { environment }: EnvironmentFlag,
  terminal: Terminal,
): Environment | undefined {
  const given = givenEnvironment([environment].flat());
  if ('fault' in given) failWith('usage', given.fault);
  for (const warning of given.warnings) terminal.note(`${terminal.styled('yellow', 'warning')}: ${warning}`);
  return given.environment ?? undefined;
}
