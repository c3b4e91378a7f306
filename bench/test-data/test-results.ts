/** The data of the bench: results as a pipeline posts them. */
import type { EventData } from '../../src/domain/events.js';
import { itemId } from '../../src/domain/ids.js';

/** The body of the n-th `POST /result/`, about 330 bytes. */
export function resultBody(n: number, project_id: string, test_run_id: string) {
  return { project_id, test_run_id, test_name: testName(n), status: statusOf(n), metadata: metadataOf(n) };
}

/** The same result as an event. */
export function resultCreated(
  n: number,
  ids: { result_id: string; project_id: string; run_id: string },
  status: EventData['ResultCreated']['status'] = statusOf(n),
): EventData['ResultCreated'] {
  return {
    ...ids,
    test_name: testName(n),
    status,
    started_at: null,
    metadata: metadataOf(n),
    attempt: 1,
    retry_of: null,
    run_branch: 'main',
    run_commit: COMMIT,
  };
}

/** The body of a `POST /v1/test-runs` with this many results of about 250 bytes. */
export function submissionBody(project_id: string, count: number) {
  const results = Array.from({ length: count }, (_, n) => ({
    name: testName(n),
    status: statusOf(n) === 'Failed' ? 'failed' : 'passed',
    duration_ms: n % 1_000,
    metadata: metadataOf(n),
  }));
  return { project_id, label: 'nightly', metadata: { branch: 'main', commit: COMMIT }, results };
}

type SubmittedResult = {
  run_id: string;
  project_id: string;
  ordinal: number;
  tests?: number;
  /** Each result whose ordinal is a multiple of it fails; left out: as `statusOf` says, other tests in each run. */
  failing?: number;
  commit?: string;
};

/** The n-th of its results as an event. `tests`: the number of tests that the results are of. */
export function resultSubmitted(
  n: number,
  { run_id, project_id, ordinal, tests = TESTS, failing, commit = COMMIT }: SubmittedResult,
): EventData['ResultSubmitted'] {
  return {
    result_id: itemId(run_id, ordinal),
    project_id,
    run_id,
    test_name: testName(n, tests),
    status: failing === undefined ? statusOf(n) : ordinal % failing === 0 ? 'Failed' : 'Passed',
    error_message: null,
    metadata: { ...metadataOf(n), commit },
    started_at: null,
    finished_at: '2026-11-21T12:00:00.000Z',
    execution_time_ms: n % 1_000,
    attempt: 1,
    superseded_by: null,
    supersedes: [],
    run_branch: 'main',
    run_commit: commit,
  };
}

export const COMMIT = '4f0c1d2e3b5a69788796a5b4c3d2e1f001122334';

/** The number of tests that the results are of, unless a row has its own. */
export const TESTS = 5_000;

export function statusOf(n: number): 'Passed' | 'Failed' {
  return n % 20 === 0 ? 'Failed' : 'Passed';
}

export function testName(n: number, tests = TESTS): string {
  return `checkout pays by card and ships to address ${n % tests}`;
}

/** About 100 bytes. */
function metadataOf(n: number) {
  return { branch: 'main', commit: COMMIT, browser: 'firefox', shard: n % 16 };
}
