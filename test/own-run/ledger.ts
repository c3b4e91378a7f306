/** The testledger that `.ci/run` starts, to which the suites post their own results. */
import { createClient, unwrap } from '../../src/client/index.js';

export type OwnLedger = {
  url: string;
  apiKey: string;
  /** The id of the project. */
  project: string;
  runKey: string;
};

export type OwnRun = {
  id: string;
  status: string;
  outcome: string | null;
  counts: Record<string, number>;
  /** Null for a run without shards. */
  shards: { total: number; received: readonly { index: number; results: number }[] } | null;
};

/**
 * Null where no testledger runs beside the suites. Its variables are not those of a user (`TESTLEDGER_URL`, …): all tests
 * inherit the environment, and those of reporters and of the command line would post to it.
 */
export function ownLedger(env: NodeJS.ProcessEnv = process.env): OwnLedger | null {
  const {
    OWN_LEDGER_URL: url,
    OWN_LEDGER_API_KEY: apiKey,
    OWN_LEDGER_PROJECT: project,
    OWN_LEDGER_RUN_KEY: runKey,
  } = env;
  return url && apiKey && project && runKey ? { url, apiKey, project, runKey } : null;
}

/** Null where no call of the run has come. @throws TestledgerError */
export async function readOwnRun({ url, apiKey, project, runKey }: OwnLedger): Promise<OwnRun | null> {
  const client = createClient({ url, apiKey, retries: { most: 2 } });
  const query = { project_id: project, run_key: runKey };
  const { data } = await unwrap<{ data: OwnRun[] }>(client.GET('/v1/test-runs', { params: { query } }));
  return data[0] ?? null;
}
