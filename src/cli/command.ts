/** The form of a command. Each file of `commands` exports one, and `command-line.ts` lists those of the first level. */
import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import type { ExitCode } from './exit-codes.js';
import { terminalOf, type Terminal } from './terminal.js';

/** The flags that every command has. */
export type SharedFlags = { json: boolean };

export type Command = CommandModule<SharedFlags, never>;

export type CommandSpec<Flags> = {
  /** The name with its positional arguments: `backup <folder>`. `$0` is the command of a group without a name. */
  command: string;
  /** One sentence for the list of commands. */
  describe: string;
  flags(command: Argv<SharedFlags>): Argv<Flags & SharedFlags>;
  /** Returns the exit code. @throws CliError */
  run(flags: ArgumentsCamelCase<Flags & SharedFlags>, terminal: Terminal): Promise<ExitCode>;
};

/** A command that does something. */
export function command<Flags>({ command, describe, flags, run }: CommandSpec<Flags>): Command {
  const module: CommandModule<SharedFlags, Flags & SharedFlags> = {
    command,
    describe,
    builder: (parser) => flags(parser),
    handler: async (given) => {
      process.exitCode = await run(given, terminalOf(given.json));
    },
  };
  return module as unknown as Command;
}

/** A command that only has commands of its own: `keys create`. */
export function group(name: string, describe: string, commands: readonly Command[]): Command {
  const module: CommandModule<SharedFlags, SharedFlags> = {
    command: name,
    describe,
    builder: (parser) => {
      for (const each of commands) parser.command(each);
      return parser.demandCommand(1);
    },
    handler: () => undefined,
  };
  return module as unknown as Command;
}

/** For a command without flags of its own. */
export function noFlags(parser: Argv<SharedFlags>): Argv<SharedFlags> {
  return parser;
}
