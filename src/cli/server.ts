/** The flags of commands that talk to a server. Each has an environment variable; the flag overrides it. */
import type { Argv } from 'yargs';
import { failWith } from './errors.js';

export type ServerFlags = { url: string | undefined; 'api-key': string | undefined };
export type ProjectFlag = { project: string | undefined };

/** Where `testledger serve` listens without a configuration. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

export function serverFlags<T>(parser: Argv<T>): Argv<T & ServerFlags> {
  return parser
    .option('url', {
      type: 'string',
      describe: `The address of the server: TESTLEDGER_URL, or ${DEFAULT_URL}`,
    })
    .option('api-key', {
      type: 'string',
      describe: 'The API key: better in TESTLEDGER_API_KEY, because others see the arguments of a process',
    });
}

export function projectFlag<T>(parser: Argv<T>): Argv<T & ProjectFlag> {
  return parser.option('project', {
    type: 'string',
    describe: 'The id or the name of a project: TESTLEDGER_PROJECT',
  });
}

/** Null where there is none. A secret that was set from a file ends with a line feed, which no key has. */
export function wantedKey({ apiKey }: { apiKey?: string | undefined }): string | null {
  return (apiKey || process.env['TESTLEDGER_API_KEY'])?.trim() || null;
}

/** @throws CliError `usage` for a text that is not the address of a server */
export function serverUrl({ url }: { url?: string | undefined }): string {
  // A CI service passes a variable that is not set as an empty one.
  const address = url || process.env['TESTLEDGER_URL'] || DEFAULT_URL;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    failWith('usage', `the address of the server must begin with https:// or http://, not "${address}"`);
  }
  const { username, password, search, hash, href } = new URL(address);
  // The address is not shown: it has a password, or a token in its query.
  if (username !== '' || password !== '')
    failWith('usage', 'the address of the server must not have a user or a password in it');
  if (search !== '' || hash !== '')
    failWith('usage', 'the address of the server must not have a query or a fragment');
  return href.replace(/\/+$/, '');
}

type MaybeProject = { project?: string | undefined };

/** What the person wrote: an id or a name. @throws CliError `project_missing` */
export function wantedProject(flags: MaybeProject): string {
  return projectIn(flags) ?? failWith('project_missing', 'there is no project');
}

/** Null where none was named. */
export function projectIn({ project }: MaybeProject): string | null {
  return (project || process.env['TESTLEDGER_PROJECT'])?.trim() || null;
}
