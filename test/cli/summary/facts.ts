/** Facts of a run for the tests of summaries. */
import { defaultGate } from '../../../src/domain/gate/judge-gate.js';
import type { GroupFacts, Result, RunFacts } from '../../../src/cli/summary/facts.js';

type Changes = Partial<Omit<RunFacts, 'run' | 'comparison'>> & {
  run?: Partial<RunFacts['run']>;
  counts?: Partial<RunFacts['comparison']['counts']>;
  baseline?: RunFacts['comparison']['baseline'];
};

/** A completed run without failures, but for the changes. */
export function factsOf({
  run = {},
  counts = {},
  baseline = { id: 'run_base', commit: null },
  ...rest
}: Changes): RunFacts {
  const none = {
    new_failures: 0,
    still_failing: 0,
    known: 0,
    fixed: 0,
    flaky: 0,
    added: 0,
    removed: 0,
    renamed_maybe: 0,
    slower: 0,
  };
  return {
    server: 'https://ledger.example',
    project: { id: 'project_1', name: 'Shop', default_branch: 'main', gate: defaultGate },
    run: {
      id: 'run_1',
      run_key: 'build 7',
      environment_key: '',
      tool: null,
      label: null,
      status: 'completed',
      outcome: 'passed',
      standing_counts: { total: 48_211, failed: 0 },
      counts: { total: 0, pending: 0, running: 0, passed: 48_211, failed: 0, skipped: 0, known_fail: 0 },
      duration_ms: 372_000,
      branch: 'guests',
      commit: '0123456789abcdef',
      ci_url: null,
      shards: null,
      completed_by: 'requested',
      report: { partial: false, failures_unread: 0 },
      empty: false,
      gate: 'passed',
      gate_reasons: [],
      gate_settings: defaultGate,
      new_failures: 0,
      ...run,
    },
    comparison: {
      baseline,
      passed_over: null,
      counts: { ...none, ...counts },
      tests: 48_211,
      baseline_tests: 48_211,
      removed_files: 0,
    },
    isCurrent: true,
    groups: [],
    groupsTotal: rest.groups?.length ?? 0,
    newFailures: [],
    flaky: [],
    known: [],
    ...rest,
  };
}

export function resultOf(changes: Partial<Result> = {}): Result {
  return {
    id: 'result_1',
    name: 'cart › pays by card',
    error_message: 'expected 3 to equal 4',
    error: null,
    file: null,
    line: null,
    owner: null,
    ...changes,
  };
}

export function groupOf(changes: Partial<GroupFacts> = {}): GroupFacts {
  return {
    group: 'group_1',
    title: 'expected … to equal …',
    results: 1,
    tests: 1,
    new: true,
    first_seen: { run_id: 'run_0', commit: 'fedcba9876543210', at: '2026-11-21T01:02:03.456Z' },
    example: resultOf(),
    names: ['cart › pays by card'],
    ...changes,
  };
}
