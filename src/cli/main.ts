/** The command line: `npm run testledger -- <command>`. */
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config.js';
import { newApiKey } from '../domain/api-key.js';
import { reasonOf } from '../errors.js';
import { runProcess } from '../process.js';
import { backup } from './backup.js';
import { listProjections } from './projections.js';
import { createKeyOnMachine } from './create-key.js';
import { rebuild } from './rebuild.js';

const usage = `testledger <command>

  serve            start the server (the same as npm start)
  rebuild          fold all read models again from the log, beside the live ones, while the server runs
  projections      show how far each read model is, and which events it cannot fold
  backup <folder>  copy log, state and files into a new folder, while the server runs
  keys generate    make a key for BOOTSTRAP_API_KEY
  keys create      make an API key in the log, and print it once: --role owner [--team team_…] [--name …]

Configuration is environment variables: see docs/configuration.md.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    role: { type: 'string' },
    team: { type: 'string' },
    name: { type: 'string' },
  },
});

const [first, folder, ...more] = positionals;
const isBackup = first === 'backup' && folder !== undefined && more.length === 0;

switch (values.help ? 'help' : isBackup ? 'backup' : positionals.join(' ')) {
  case 'serve':
    await runProcess((await import('../main.js')).startProgram);
    break;
  case 'rebuild':
    await run('rebuild', rebuild);
    break;
  case 'projections':
    await run('projections', listProjections);
    break;
  case 'backup':
    if (isBackup) await run('backup', (config, print) => backup(config, folder, print));
    else usageError();
    break;
  case 'keys create':
    // The key alone goes to stdout, so that a script can store it.
    await run('keys create', (config, print) =>
      createKeyOnMachine(config, values, print, (line) => console.error(line)),
    );
    break;
  case 'keys generate':
    console.log(newApiKey());
    break;
  case 'help':
    console.log(usage);
    break;
  default:
    usageError();
}

function usageError(): void {
  console.error(usage);
  process.exitCode = 2;
}

/** Runs a command on the stores of the configuration, and sets the exit code. */
async function run(
  name: string,
  command: (config: Config, print: (line: string) => void) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await command(readConfig(process.env), (line) => console.log(line));
  } catch (error) {
    // As text: the stack trace of a library does not help a person who mistyped a URL.
    console.error(`testledger ${name}: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}
