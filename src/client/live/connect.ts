/** The server of a live run, as the functions that it calls. They repeat nothing, because the live run does. */
import { version } from '../../version.js';
import { openCaller } from '../call.js';
import { defaultRetries } from '../send.js';
import { submitRun, submitRunWith } from '../submit-run.js';
import { uploadGroup } from '../upload-artifacts.js';
import { openHttpFetch } from './http-fetch.js';
import type { LiveServer } from './poster.js';
import type { LiveSettings } from './settings.js';

/** @throws TestledgerError `invalid_call` for a URL or a key that cannot be one */
export async function connectServer({
  url,
  apiKey,
  project,
}: Pick<LiveSettings, 'url' | 'apiKey' | 'project'>): Promise<LiveServer> {
  const caller = openCaller({
    url,
    apiKey,
    project,
    timeoutMs: 30_000,
    userAgent: `testledger-client/${version}`,
    // Where it is set, Node's own `fetch` goes through the proxy of the environment, and requests of ours would not.
    fetch: process.env['NODE_USE_ENV_PROXY'] ? fetch : openHttpFetch(),
    retries: { ...defaultRetries, most: 0 },
  });
  return {
    submitRun: (run, options) => submitRun(caller, run, options),
    submitRunWith: (run, results, options) => submitRunWith(caller, run, results, options),
    uploadGroup: (group, options) => uploadGroup(caller, group, options),
  };
}
