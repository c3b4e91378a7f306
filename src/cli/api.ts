/** Calls of the API for a command: its client, its errors as those of the command line, and lists as a whole. */
import { isProjectId, keyOfBuild, NEEDS_PROJECT_ID, offeredToken } from '../client/ci/ci-token.js';
import { defaultRetries, type Sending } from '../client/send.js';
import { createClient, TestledgerError, unwrap, type Client, type components } from '../client/index.js';
import { isId } from '../domain/ids.js';
import { version } from '../version.js';
import { CliError, failWith, type CliErrorCode } from './errors.js';
import { fetchOfProcess } from './fetch.js';
import { projectIn, serverUrl, wantedKey, type ServerFlags } from './server.js';

type CalledFlags = Partial<ServerFlags> & { apiKey?: string | undefined; project?: string | undefined };

/** A person waits: a server that is away for longer than a restart takes is an error. */
const REPEAT_FOR_MS = 10_000;

/**
 * Runs a command with a client of the server that its flags and the environment name. `repeatForMs`: how long requests are
 * repeated while the server is away. @throws CliError
 */
export async function withClient<T>(
  flags: CalledFlags,
  work: (client: Client) => Promise<T>,
  { repeatForMs = REPEAT_FOR_MS }: { repeatForMs?: number } = {},
): Promise<T> {
  const url = serverUrl(flags);
  try {
    const userAgent = `testledger-cli/${version}`;
    const retries = { ...defaultRetries, forMs: repeatForMs };
    const fetch = await fetchOfProcess();
    const apiKey = wantedKey(flags) ?? (await offeredKey(flags, url, { fetch, retries }));
    return await work(createClient({ url, apiKey, userAgent, retries, fetch }));
  } catch (error) {
    throw asCliError(error, url);
  }
}

/** For the longest waits of a gate. */
const KEY_TTL = 'PT1H';

/** The key that the server gives for the token of this build. @throws CliError `key_missing`, `usage`; TestledgerError */
async function offeredKey(flags: CalledFlags, url: string, sending: Sending): Promise<string> {
  const offer = offeredToken(process.env) ?? failWith('key_missing', 'there is no API key');
  const project = projectIn(flags) ?? '';
  if (!isProjectId(project)) failWith('usage', NEEDS_PROJECT_ID);
  return keyOfBuild(offer, { ...sending, url, project, ttl: KEY_TTL });
}

/** The error of a call as one of the command line; any other error as it is. */
function asCliError(error: unknown, url: string): unknown {
  if (!(error instanceof TestledgerError)) return error;
  const { code, status, requestId, fields, message } = error;
  const details = { server: url, answer: { status, code, request_id: requestId, fields } };
  const at = requestId === null ? '' : ` (request ${requestId})`;
  const known = kindOf(error);
  const text = known === 'server_unreachable' ? `${url}: ${message}` : `${message}${at}`;
  return new CliError(known, text, { details, cause: error });
}

function kindOf({ status, code }: TestledgerError): CliErrorCode {
  if (status === null) return code === 'invalid_call' ? 'usage' : 'server_unreachable';
  if (status === 429 || status >= 500) return 'server_failed';
  return code === 'bad_answer' ? 'not_testledger' : 'request_refused';
}

export type Page<T> = { data: T[]; pagination: { page: number; total_pages: number } };

/** No list of this command line is longer; a server that never ends its pages must not fill the memory. */
const MOST_PAGES = 1_000;
const PER_PAGE = 100;

/** Reads all pages of a list. @throws CliError `command_failed` for a list that is too long to show: a part would mislead. */
export async function wholeList<T>(
  read: (query: { page: number; per_page: number }) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, pagination } = await read({ page, per_page: PER_PAGE });
    all.push(...data);
    if (page >= pagination.total_pages) return all;
  }
  failWith('command_failed', `the list has more than ${MOST_PAGES * PER_PAGE} entries`);
}

export type Project = components['schemas']['Project'];

export function allProjects(client: Client): Promise<Project[]> {
  return wholeList((query) => unwrap(client.GET('/v1/projects', { params: { query } })));
}

/** The id of a project that is named by its id or its name. @throws CliError `project_unknown`, `project_ambiguous` */
export async function projectId(client: Client, wanted: string): Promise<string> {
  if (isId('project', wanted)) return wanted;
  const named = (await allProjects(client)).filter(({ name }) => name === wanted);
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ');
    failWith('project_ambiguous', `${named.length} projects have the name "${wanted}": ${ids}`);
  }
  const [only] = named;
  if (only === undefined) failWith('project_unknown', `there is no project with the name "${wanted}"`);
  return only.id;
}
