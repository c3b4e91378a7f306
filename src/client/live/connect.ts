/** The server of a live run, as the functions that it calls. They repeat nothing, because the live run does. */
import { version } from '../../version.js';
import { keyOfBuild } from '../ci/ci-token.js';
import { openCaller } from '../call.js';
import { defaultRetries } from '../send.js';
import { submitRun, submitRunWith } from '../submit-run.js';
import { uploadGroup } from '../upload-artifacts.js';
import { openHttpFetch } from './http-fetch.js';
import type { LiveServer } from './poster.js';
import type { LiveSettings } from './settings.js';

/** For as long as tests may run: the longest that the server gives. */
const KEY_TTL = 'PT6H';

/** @throws TestledgerError `invalid_call` for a URL or a key that cannot be one; where a token gives no key */
export async function connectServer({
  url,
  apiKey,
  project,
}: Pick<LiveSettings, 'url' | 'apiKey' | 'project'>): Promise<LiveServer> {
  // Where it is set, Node's own `fetch` goes through the proxy of the environment, and requests of ours would not.
  const fetchBy = process.env['NODE_USE_ENV_PROXY'] ? fetch : openHttpFetch();
  const caller = openCaller({
    url,
    apiKey:
      typeof apiKey === 'string'
        ? apiKey
        : await keyOfBuild(apiKey, { url, project, ttl: KEY_TTL, fetch: fetchBy, retries: defaultRetries }),
    project,
    timeoutMs: 30_000,
    userAgent: `testledger-client/${version}`,
    fetch: fetchBy,
    retries: { ...defaultRetries, most: 0 },
  });
  return {
    submitRun: (run, options) => submitRun(caller, run, options),
    submitRunWith: (run, results, options) => submitRunWith(caller, run, results, options),
    uploadGroup: (group, options) => uploadGroup(caller, group, options),
  };
}
