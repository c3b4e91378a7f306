/** The server of a live run, as the functions that it calls. */
import { submitRun, submitRunWith } from '../submit-run.js';
import { version } from '../../version.js';
import { openHttpCaller } from './http-caller.js';
import { openHttpFetch } from './http-fetch.js';
import { openHttp } from './http-request.js';
import type { LiveServer } from './poster.js';
import type { LiveSettings } from './settings.js';

const TIMEOUT_MS = 30_000;

type Where = Pick<LiveSettings, 'url' | 'apiKey' | 'project'>;

/** @throws TestledgerError `invalid_call` for a URL or a key that cannot be one */
export async function connectServer(where: Where): Promise<LiveServer> {
  // Where it is set, Node's own `fetch` goes through the proxy of the environment, and requests of ours would not.
  if (process.env['NODE_USE_ENV_PROXY']) return openClient(where, fetch);
  const sendHttp = openHttp();
  const userAgent = `testledger-client/${version}`;
  const caller = openHttpCaller(sendHttp, { ...where, timeoutMs: TIMEOUT_MS, userAgent });
  let client: ReturnType<typeof openClient> | null = null;
  return {
    submitRun: (run, options) => submitRun(caller, run, options),
    submitRunWith: (run, results, options) => submitRunWith(caller, run, results, options),
    async uploadArtifact(artifact, options) {
      client ??= openClient(where, openHttpFetch(sendHttp));
      return (await client).uploadArtifact(artifact, options);
    },
  };
}

/** Loaded where it is used: most runs have no files. */
async function openClient({ url, apiKey, project }: Where, via: typeof fetch) {
  const { createClient } = await import('../client.js');
  return createClient({ url, apiKey, project, fetch: via, timeoutMs: TIMEOUT_MS, retries: { most: 0 } });
}
