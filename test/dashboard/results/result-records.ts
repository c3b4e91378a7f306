/** Records as the API answers them for the pages of one result and of one test, with one text in every field of theirs. */
import { testIdOf } from '../../../src/domain/test-history/test.js';

export const TEAM = 'team_01kaz5a3xje0mrtd7fxmw0k3zg';
const PROJECT = 'project_01kaz5a3xje0mrtd7fxmw0k3zg';
const RUN = 'run_01kaz5a41cf5v8b0a6q7w4xk2n';
const OTHER_RUN = 'run_01kaz5a41cf5v8b0a6q7w4xk2p';
export const RESULT = 'result_01kaz5a41cf5v8b0a6q7w4xk2n_1';
const GROUP = 'group_3v7bq2m0r8ey6tdpkz4s9hc1nw';
const AT = '2026-11-21T01:02:03.456Z';

/** The text stands in every field that a client can choose, and so it is the content type of one artifact too. */
export function answersWith(text: string): Record<string, unknown> {
  const group = { id: GROUP, kind: 'frame', title: text };
  const moment = (run_id: string) => ({ run_id, commit: text, at: AT });
  const error = { type: text, message: text, stack: `${text}\n    at f (src/a.ts:1:2)`, hook: text };
  const step = {
    name: text,
    status: 'failed',
    error: text,
    steps: [{ name: text, status: 'failed', error: text }],
  };
  const metadata = {
    [text]: text,
    output: { stdout: text, stderr: text, log: text },
    console: text,
    steps: [step],
  };
  const result = {
    id: RESULT,
    project_id: PROJECT,
    test_run_id: RUN,
    name: text,
    status: 'failed',
    duration_ms: 12,
    error_message: text,
    metadata,
    file: text,
    line: 3,
    suite: text,
    owner: text,
    tags: [text],
    links: [{ name: text, url: `https://example.com/?q=${encodeURIComponent(text.toWellFormed())}` }],
    error: { ...error, expected: text, actual: `${text} ` },
    attempt: 2,
    superseded_by: null,
    started_at: AT,
    finished_at: AT,
    created_at: AT,
    environment: { os: text },
    environment_key: `os=${text}`,
    failing_since: moment(OTHER_RUN),
    last_passed: moment(OTHER_RUN),
    also_fails_on: [text],
    group,
    known: true,
  };
  const project = { id: PROJECT, name: text, description: text };
  const run = {
    id: RUN,
    project_id: PROJECT,
    label: text,
    branch: text,
    commit: text,
    actor: text,
    tool: text,
  };
  const outcome = (n: number) => ({
    result_id: `result_01kaz5a41cf5v8b0a6q7w4xk2n_${n}`,
    test_run_id: RUN,
    status: n % 2 === 0 ? 'passed' : 'failed',
    attempt: n + 1,
    duration_ms: 10 + n,
    at: AT,
    branch: text,
    environment_key: `os=${text}`,
    group: n % 2 === 0 ? null : group,
    known: false,
    superseded_by: null,
  });
  const known_failure = {
    reason: text,
    by: text,
    at: AT,
    expires_at: AT,
    branch: text,
    environment: { os: text },
    environment_key: `os=${text}`,
    hidden_results: 3,
  };
  const test = {
    id: testIdOf(PROJECT, 'x'),
    project_id: PROJECT,
    name: text,
    state: 'flaky',
    last_outcomes: ['failed'],
    failure_rate: 0.5,
    environments: [
      {
        environment: { os: text },
        environment_key: `os=${text}`,
        state: 'flaky',
        last_outcomes: ['failed'],
        failure_rate: 0.5,
        last_result_at: null,
      },
    ],
    last_result_at: AT,
    owner: text,
    tags: [text],
    known_failure,
  };
  const types = ['image/png', 'video/mp4', 'audio/ogg', 'text/plain', 'text/html', 'image/svg+xml'];
  const artifact = (label: string, content_type: string, n: number) => ({
    artifact_id: `artifact_01kaz5a4m8e4rt3zq1v9f6s7h${n}`,
    test_result_id: RESULT,
    project_id: PROJECT,
    label,
    kind: 'Other',
    content_type,
    size_bytes: 9,
    test_step: text,
    metadata,
    expires_at: AT,
    created_at: AT,
  });
  const labels = ['expected', 'actual', 'diff'].map((role) => [`${text}-${role}.png`, 'image/png'] as const);
  const files = [
    ...types.map((type) => [text, type] as const),
    ...labels,
    [text, text] as const,
    [`${text} trace`, 'application/zip'] as const,
  ];
  const paged = (data: unknown[]) => ({
    data,
    pagination: { page: 1, per_page: 20, total: data.length, total_pages: 1 },
  });
  const outcomes = [4, 3, 2, 1, 0].map(outcome);
  const seen = {
    ...moment(OTHER_RUN),
    title: text,
    branch: text,
    actor: text,
    tool: text,
    results: 2,
    tests: 1,
  };
  return {
    '/v1/test-results/{id}': { data: result },
    '/v1/projects/{id}': { data: project },
    '/v1/test-runs': paged([run]),
    '/v1/test-runs/{id}': { data: run },
    '/v1/projects/{id}/tests/{test}': { data: test },
    '/v1/projects/{id}/tests/{test}/outcomes': paged(outcomes),
    '/v1/test/artifact/': { items: files.map(([label, type], n) => artifact(label, type, n)) },
    '/v1/test-runs/{id}/failures/{group}': paged([result, { ...result, id: `${RESULT}0` }]),
    '/v1/test-runs/{id}/results': paged([
      { ...result, id: `${RESULT}0` },
      result,
      { ...result, id: `${RESULT}1` },
    ]),
    '/v1/projects/{id}/failures/{group}': { data: {}, runs: [seen], pagination: { total: 1 } },
  };
}

export const RESULT_PATH = `/teams/${TEAM}/results/${RESULT}`;
export const TEST_PATH = `/teams/${TEAM}/projects/${PROJECT}/tests/${testIdOf(PROJECT, 'x')}`;
