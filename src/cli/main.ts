/** The command line: `npm run testledger -- <command>`. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { newApiKey } from '../domain/api-key.js';
import { reasonOf } from '../errors.js';
import { runProcess } from '../process.js';
import { rebuild } from './rebuild.js';

const usage = `testledger <command>

  serve            start the server (the same as npm start)
  rebuild          fold all read models again from the log, beside the live ones, while the server runs
  keys generate    make a key for BOOTSTRAP_API_KEY

Configuration is environment variables: see docs/configuration.md.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
});

switch (values.help ? 'help' : positionals.join(' ')) {
  case 'serve':
    await runProcess((await import('../main.js')).startProgram);
    break;
  case 'rebuild':
    try {
      process.exitCode = await rebuild(readConfig(process.env), (line) => console.log(line));
    } catch (error) {
      // As text: the stack trace of a library does not help a person who mistyped a URL.
      console.error(`testledger rebuild: ${reasonOf(error)}`);
      process.exitCode = 1;
    }
    break;
  case 'keys generate':
    console.log(newApiKey());
    break;
  case 'help':
    console.log(usage);
    break;
  default:
    console.error(usage);
    process.exitCode = 2;
}
