/** The whole command line: its commands, what they share, and the way from an error to an exit code. */
import yargs, { type Argv } from 'yargs';
import { reasonOf } from '../errors.js';
import { otherVersion } from '../client/other-version.js';
import { version } from '../version.js';
import type { Command, SharedFlags } from './command.js';
import { described } from './described.js';
import { CliError, cliErrors, failWith } from './errors.js';
import { fetchOfProcess } from './fetch.js';
import { serverUrl } from './server.js';
import { allowClosedOutputs, terminalOf } from './terminal.js';

/** What loads a command, by its name, in the order of the help. */
export type Commands = ReadonlyMap<string, () => Promise<Command>>;

/** Runs the command that the arguments name, and sets the exit code of the process. */
export async function runCommandLine(args: readonly string[], commands: Commands): Promise<void> {
  allowClosedOutputs();
  let help = '';
  try {
    const loaded = await commandsFor(args, commands);
    await parser(loaded, (message, shown) => {
      help = shown;
      failWith('usage', message);
    }).parseAsync(withNames(args, commands));
    if (args[0] === '--version') await compareVersions();
  } catch (error) {
    showError(error, args, help);
  }
}

/** With `--version`, where a server is named. It may be away, and the version has been said. */
async function compareVersions(): Promise<void> {
  if (!process.env['TESTLEDGER_URL']) return;
  const base = serverUrl({});
  const fetch = await fetchOfProcess();
  try {
    const answer = await fetch(`${base}/v1/test/status`, { signal: AbortSignal.timeout(2_000) });
    const notice = otherVersion(answer.headers.get('testledger-version'), { base });
    if (notice !== null) terminalOf(false).note(notice);
  } catch (error) {
    terminalOf(false).note(`testledger: ${base} does not answer: ${reasonOf(error)}`);
  }
}

/**
 * For a command that takes files, what follows `--` are names, also those that begin like a flag: the parser would leave
 * them out.
 */
function withNames(args: readonly string[], commands: Commands): string[] {
  const end = args.indexOf('--');
  const takesFiles = ['import', 'upload'].includes(
    args.slice(0, end).find((each) => commands.has(each)) ?? '',
  );
  if (end === -1 || !takesFiles || args[0] === '--get-yargs-completions') return [...args];
  const names = args.slice(end + 1).map((name) => (name.startsWith('-') ? `./${name}` : name));
  return [...args.slice(0, end), ...names];
}

/**
 * The commands that the parser has to know. All of them take half a second to load, so a line that begins
 * with a command loads no other; completion and a wrong name need all, and so does help where they are not described.
 */
async function commandsFor([first = '--help']: readonly string[], commands: Commands): Promise<Command[]> {
  const wanted = commands.get(first);
  if (described !== null && ['--help', '-h', '--version'].includes(first))
    return described.map((each) => ({ ...each, handler: () => undefined }));
  return Promise.all((wanted ? [wanted] : [...commands.values()]).map((load) => load()));
}

/** The parser of the command line. `onWrong` gets the fault of a wrong one and the help of its command, and throws. */
function parser(
  known: readonly Command[],
  onWrong: (message: string, help: string) => never,
): Argv<SharedFlags> {
  const root = yargs()
    .scriptName('testledger')
    .usage('$0 <command>')
    // One language: scripts and documents quote the messages.
    .detectLocale(false)
    .parserConfiguration({ 'populate--': true, 'duplicate-arguments-array': true })
    .exitProcess(false)
    .option('json', { type: 'boolean', default: false, global: true, describe: 'Print the result as JSON' })
    .version(version)
    .alias('help', 'h')
    .strict()
    .recommendCommands()
    .demandCommand(1)
    .updateStrings({
      'Not enough arguments following: %s': 'the flag --%s needs a value',
      'Not enough non-option arguments: got %s, need at least %s': {
        one: 'a command or an argument is missing (%s of %s)',
        other: 'a command or an argument is missing (%s of %s)',
      } as unknown as string,
    })
    .epilogue('docs/command-line.md has every command, the exit codes and the environment variables.')
    .wrap(Math.min(110, process.stderr.columns ?? 110))
    .fail((message, error: Error | undefined, at) => {
      // The parser throws its own faults too, such as a flag without its value.
      if (error !== undefined && error.name !== 'YError') throw error;
      // The types of the library have the parser here; it is the object of the usage, whose `help` is the text.
      onWrong(message ?? error?.message, (at as unknown as { help(): string }).help());
    });
  for (const each of known) root.command(each);
  return root;
}

/**
 * Prints an error on stderr; with `--json`, its document is also the result on stdout. Streams of rows have `row`s on
 * stdout, and a program tells the document of an error by its only field `error`.
 */
function showError(error: unknown, args: readonly string[], help: string): void {
  const known =
    error instanceof CliError ? error : new CliError('internal', reasonOf(error), { cause: error });
  const { exit } = cliErrors[known.code];
  // Not `reasonOf`, which adds the message of the cause: this one includes it already.
  const { message, advice } = known;
  // The parser may have failed before it read the flags.
  const end = args.indexOf('--');
  const terminal = terminalOf((end === -1 ? args : args.slice(0, end)).includes('--json'));
  const name = args.filter((each) => /^[a-z-]+$/.test(each) && !each.startsWith('-')).slice(0, 1);
  terminal.note(`${['testledger', ...name].join(' ')}: ${terminal.styled('red', message)}`);
  terminal.note(help === '' ? advice : `\n${help}`);
  if (known.code === 'internal' && error instanceof Error) terminal.note(error.stack ?? '');
  if (terminal.json) {
    const document = {
      code: known.code,
      message,
      advice,
      exit_code: exit,
      ...known.details,
    };
    terminal.result({ error: document }, []);
  }
  process.exitCode = exit;
}
