/** Records as the API answers them for the lists of a project: full pages, with one text in every field of a client. */
const AT = '2026-11-21T01:02:03.456Z';
export const TEAM = 'team_01kaz5a3xje0mrtd7fxmw0k3zg';
export const PROJECT = 'project_01kaz5a3xje0mrtd7fxmw0k3zg';
export const GROUP = 'group_3v7bq2m0r8ey6tdpkz4s9hc1nw';
const RUN = 'run_01kaz5a41cf5v8b0a6q7w4xk2n';

const base = `/teams/${TEAM}/projects/${PROJECT}`;
export const LISTS = [
  `/teams/${TEAM}`,
  `/teams/${TEAM}/search?q=a`,
  `/teams/${TEAM}/projects`,
  base,
  `${base}/change?commit=9f2c1e7`,
  `${base}/compare?branch=a&with=b`,
  `${base}/tests`,
  `${base}/tests?q=state:known`,
  `${base}/tests?q=state:all`,
  `${base}/failures`,
  `${base}/failures/${GROUP}`,
  `${base}/settings`,
  `${base}/insights`,
  `${base}/insights?costs=all`,
  `/teams/${TEAM}/insights?days=90`,
];

/** `total`: of each list. The pages have as many records as they ask for. */
export function listsWith(text: string, error = text, total = 100_000) {
  const counts = { total: 9, pending: 0, running: 0, passed: 6, failed: 1, skipped: 1, known_fail: 1 };
  const project = {
    id: PROJECT,
    name: text,
    created_at: AT,
    description: text,
    default_branch: text,
    status: 'active',
    gate: { fail_on: 'new', max_removed: 'default', min_tests: null, max_known: null },
    own_gate: [],
    retention: { contents: null, passed_contents: 'P90D', artifacts: 'P30D', runs: null },
  };
  const overview = {
    project_id: PROJECT,
    branch: text,
    runs: Array.from({ length: 20 }, () => ({
      id: RUN,
      outcome: 'failed',
      created_at: AT,
      passed: 8,
      failed: 1,
    })),
    run_count: total,
    last_run_at: AT,
    runs_a_day: 12.5,
    tests: { flaky: 1, broken: 2, failing: 3 },
  };
  const totals = {
    runs: { passed: 5, failed: 1, skipped: 1, empty: 1 },
    tests: total,
    results: { passed: total, failed: 1, skipped: 1, known_fail: 1 },
    new_failures: 1,
    fixed: 1,
    flaky_tests: 1,
    known_failures: 1,
    removed: 1,
    duration_ms: { p50: 1_000, p95: 2_000 },
    lost_ms: 1_000,
  };
  const rows = Array.from({ length: 30 }, (_, n) => ({ day: `2026-11-${n + 1}`, ...totals }));
  const projects = Array.from({ length: 500 }, () => ({ project_id: PROJECT, ...totals }));
  const statistics = { from: '2026-11-01', to: '2026-11-30', totals, previous: totals, rows, projects };
  const line = { environment: { os: text }, environment_key: `os=${text}` };
  const run = {
    id: RUN,
    project_id: PROJECT,
    run_key: text,
    label: text,
    status: 'completed',
    outcome: 'failed',
    test_count: 9,
    counts,
    standing_counts: counts,
    duration_ms: 1_000,
    metadata: { message: text, [text]: text },
    branch: text,
    commit: text,
    pull_request: text,
    ci_url: null,
    actor: text,
    tool: text,
    build: text,
    ...line,
    created_at: AT,
    started_at: AT,
    finished_at: AT,
    shards: null,
    baseline: null,
    completed_by: 'requested',
    report: { partial: false, failures_unread: 0 },
    empty: false,
    gate: 'failed',
    gate_reasons: ['new_failures'],
    new_failures: 3,
  };
  const test = {
    id: 'test_1p5s0h1sgqe3vasd2bmf8nq7zy',
    project_id: PROJECT,
    name: text,
    state: 'broken',
    last_outcomes: Array(20).fill('failed'),
    last_runs: { branch: text, tool: text, ...line, outcomes: Array(20).fill('failed') },
    failure_rate: 1,
    last_result_at: AT,
    environments: [
      {
        ...line,
        state: 'broken',
        last_outcomes: Array(20).fill('failed'),
        failure_rate: 1,
        last_result_at: AT,
      },
    ],
    owner: text,
    tags: [text],
    known_failure: {
      reason: text,
      by: text,
      at: AT,
      expires_at: AT,
      branch: text,
      ...line,
      hidden_results: 3,
    },
  };
  const moment = { run_id: RUN, commit: text, at: AT };
  const since = { failing_since: moment, last_passed: moment };
  const example = {
    id: `result_x`,
    name: text,
    error_message: error,
    owner: text,
    error: { stack: error },
    ...since,
  };
  const group = {
    group: GROUP,
    kind: 'frame',
    title: text,
    runs: total,
    results: total,
    first_seen: moment,
    last_seen: moment,
    example,
    state: 'known',
    owner: text,
    ticket: text,
  };
  const part = { runs: total, results: total, last_at: AT };
  const cause = {
    state_since: AT,
    state_by: text,
    named_owner: text,
    note: text,
    fixed_after: AT,
    known_failure: {
      reason: text,
      by: text,
      at: AT,
      expires_at: AT,
      branch: text,
      ...line,
      tests: 2,
    },
    tests: total,
    branches: Array.from({ length: 20 }, () => ({ branch: text, ...part })),
    environments: Array.from({ length: 20 }, () => ({ ...line, ...part })),
    days: [{ day: new Date().toISOString().slice(0, 10), runs: total, results: total }],
  };
  const shownRun = {
    id: RUN,
    title: text,
    branch: text,
    commit: text,
    actor: text,
    tool: text,
    environment_key: `os=${text}`,
    at: AT,
  };
  const list = (item: object, length = 20) => ({
    items: Array.from({ length }, () => ({ project_id: PROJECT, project: text, ...item })),
    total,
  });
  const named = { test_id: test.id, name: text, owner: text };
  const today = {
    since: AT,
    causes: list({ ...group, example: 'result_x', owner: text, state: 'came_back', first_run: shownRun }),
    red: list({ branch: text, newest: shownRun, since: shownRun, runs: 40 }),
    without_verdict: list({ branch: text, reason: 'no_run', newest: shownRun }, 10),
    flaky: list({ ...named, run: shownRun }),
    ending: list({ ...named, reason: text, expires_at: AT }),
    running: list(shownRun, 10),
    projects: { total, looked_at: 50 },
  };
  const of = { project_id: PROJECT, project: text };
  const eight = (item: object) => Array.from({ length: 8 }, () => ({ ...of, ...item }));
  const found = {
    projects: eight({ id: PROJECT, name: text }),
    runs: eight(shownRun),
    tests: eight(named),
    causes: eight({ group: GROUP, title: text, runs: total }),
  };
  const outcomes = Array.from({ length: 20 }, () => ({ run_id: RUN, outcome: 'failed' }));
  const kinds = ['new_failures', 'still_failing', 'known', 'flaky', 'fixed', 'slower', 'added', 'removed'];
  const comparison = {
    baseline: { id: RUN, commit: text, created_at: AT },
    counts: Object.fromEntries(kinds.map((kind) => [kind, total])),
  };
  return {
    project,
    overview,
    statistics,
    run,
    test,
    group: { ...group, ...cause, outcomes },
    testOfGroup: { id: test.id, name: text, owner: text, results: total, last_failed_at: AT, known: true },
    seen: { ...moment, title: text, branch: text, actor: text, tool: text, results: 2, tests: 1 },
    comparison,
    result: { ...example, status: 'failed', duration_ms: 7, superseded_by: null },
    entry: { type: 'said', at: AT, by: text, run_id: RUN, text },
    today,
    found,
    total,
  };
}
