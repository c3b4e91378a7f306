/** `testledger brief`: a run in at most 20 kB of Markdown, for an agent or a person. */
import { reasonOf } from '../../errors.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { fetchOfProcess } from '../fetch.js';
import { serverFlags, serverUrl, wantedKey, type ServerFlags } from '../server.js';

type Flags = ServerFlags & { run: string; baseline: string | undefined };

export const briefCommand = command<Flags>({
  command: 'brief <run>',
  describe: 'Print a run in at most 20 kB: the verdict, its failures in groups, what is new first',
  flags: (parser) =>
    serverFlags(parser)
      .positional('run', { type: 'string', demandOption: true, describe: 'The id of the run' })
      .option('baseline', {
        type: 'string',
        requiresArg: true,
        describe: 'The id of another run to compare with',
      }),
  async run({ run, baseline, ...flags }, terminal) {
    const key = wantedKey(flags) ?? failWith('key_missing', 'there is no API key');
    const query = baseline === undefined ? '' : `?baseline=${encodeURIComponent(baseline)}`;
    const path = `/runs/${encodeURIComponent(run)}.${terminal.json ? 'json' : 'md'}${query}`;
    const text = await read(serverUrl(flags), path, key);
    terminal.result(terminal.json ? JSON.parse(text) : null, text.trimEnd().split('\n'));
    return exitCodes.ok;
  },
});

/** @throws CliError */
async function read(server: string, path: string, key: string): Promise<string> {
  const fetch = await fetchOfProcess();
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(server + path, { headers, redirect: 'manual' }).catch((error: unknown) =>
    failWith('server_unreachable', `${server}: ${reasonOf(error)}`),
  );
  const text = await answer.text();
  const type = answer.headers.get('Content-Type') ?? '';
  if (answer.ok && /^(text\/markdown|application\/json)/.test(type)) return text;
  if (!type.startsWith('application/problem+json'))
    failWith('not_testledger', `${server} answered ${answer.status} to ${path}`);
  const { detail = '' } = JSON.parse(text) as { detail?: string };
  return failWith(
    answer.status === 429 || answer.status >= 500 ? 'server_failed' : 'request_refused',
    detail,
  );
}
