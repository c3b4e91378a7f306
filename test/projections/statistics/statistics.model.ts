/** The statistics of a history, counted from its end: the plainest reading of section 23 of the contract. */
import type { RunSummaryDocument } from '../../../projections/comparisons/run-summary-documents.js';
import type { ResultDocument } from '../../../projections/records/run-documents.js';
import { resultEnvironment } from '../../../src/domain/environment.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { isFinal } from '../../../src/domain/results/result.js';
import type { Metadata } from '../../../src/domain/runs/run.js';
import { understoodRun } from '../../../src/domain/understood.js';
import { naiveResults } from '../naive-results.js';

type ModelRun = {
  id: string;
  metadata: Metadata | null;
  status: 'Pending' | 'Running' | 'Completed';
  started_at: string | null;
  finished_at: string;
  is_default: boolean;
  created: number;
};

export type Numbers = Record<string, number>;
/** By where they are counted: numbers that add up, exact durations, and the names of tests. */
export type ModelRows = Map<string, { numbers: Numbers; durations: number[]; tests: Set<string> }>;
export type ModelTests = Map<string, { numbers: Numbers; durations: number[] }>;

export function completedRuns(events: readonly LedgerEvent[]): ModelRun[] {
  const runs = new Map<string, ModelRun>();
  let defaultBranch = 'main';
  const isDefault = (run: ModelRun) => understoodRun(run.metadata).branch === defaultBranch;
  for (const [created, event] of events.entries()) {
    const run = 'run_id' in event.data ? runs.get(event.data.run_id ?? '') : undefined;
    switch (event.type) {
      case 'ProjectDescribed':
        defaultBranch = event.data.default_branch ?? defaultBranch;
        break;
      case 'RunCreated': {
        const { run_id: id, metadata } = event.data;
        const unset = { started_at: null, finished_at: '', is_default: false };
        runs.set(id, { id, metadata, status: 'Pending', created, ...unset });
        break;
      }
      case 'RunDescribed':
        if (event.data.metadata === undefined) break;
        run!.metadata = event.data.metadata;
        if (run!.status === 'Completed') run!.is_default = isDefault(run!);
        break;
      case 'RunStarted':
        Object.assign(run!, { status: 'Running', started_at: event.data.started_at });
        break;
      case 'RunReturnedToPending':
        run!.status = 'Pending';
        break;
      case 'RunCompleted':
        Object.assign(run!, { status: 'Completed', finished_at: event.data.finished_at });
        run!.is_default = isDefault(run!);
        break;
      default:
    }
  }
  return [...runs.values()].filter(({ status }) => status === 'Completed');
}

/** `summaries`: only their comparisons are read, which have tests of their own. */
export function statisticsOf(
  events: readonly LedgerEvent[],
  summaries: ReadonlyMap<string, RunSummaryDocument>,
): { rows: ModelRows; tests: ModelTests } {
  const rows: ModelRows = new Map();
  const tests: ModelTests = new Map();
  const runs = completedRuns(events).map((run) => ({ ...run, ...understoodRun(run.metadata) }));
  const results = naiveResults(events).filter(({ status }) => isFinal(status));
  const stands = ({ superseded_by, replaced_by = [] }: ResultDocument) =>
    superseded_by === null && replaced_by.length === 0;
  const environmentOf = ({ call_environment = '', metadata }: ResultDocument) =>
    resultEnvironment(call_environment, metadata);
  const byRun = new Map(runs.map(({ id }) => [id, [] as ResultDocument[]]));
  for (const each of results) byRun.get(each.test_run_id ?? '')?.push(each);
  const own = (id: string) => byRun.get(id)!;
  const lineOf = (each: ResultDocument) => JSON.stringify([each.test_name, environmentOf(each)]);
  const passes = new Map(
    runs.map(({ id }) => {
      const passed = own(id).filter((each) => stands(each) && each.status === 'Passed');
      return [id, new Set(passed.map(lineOf))];
    }),
  );
  const outcome = (id: string) => {
    const all = own(id).filter(stands);
    const has = (...of: string[]) => all.some(({ status }) => of.includes(status));
    return has('Failed')
      ? 'failed'
      : has('Passed', 'KnownFail')
        ? 'passed'
        : has('Skipped')
          ? 'skipped'
          : 'empty';
  };
  const duration = ({ started_at, finished_at }: ModelRun) =>
    started_at === null ? null : Math.max(0, Date.parse(finished_at) - Date.parse(started_at));
  for (const run of runs) {
    const { id, branch, tool, commit, environment_key } = run;
    const day = run.finished_at.slice(0, 10);
    /** Of the same commit and environment, itself included. */
    const group = runs.filter(
      (other) =>
        other === run || (commit && other.commit === commit && other.environment_key === environment_key),
    );
    const isInnocent = (failure: ResultDocument) =>
      group.some((other) => passes.get(other.id)!.has(lineOf(failure)));
    const lostOf = (all: readonly ResultDocument[]) =>
      all
        .filter((each) => each.status === 'Failed' && isInnocent(each))
        .reduce((sum, { execution_time_ms }) => sum + (execution_time_ms ?? 0), 0);
    const isRerun =
      outcome(id) === 'failed' &&
      duration(run) !== null &&
      group.some(
        (other) => other.created > run.created && other.tool === tool && outcome(other.id) === 'passed',
      );
    const standing = own(id).filter(stands);
    const ran = standing.filter(({ status }) => status !== 'Skipped');
    const { new_failures, fixed, flaky, known, removed } = summaries.get(id)!.comparison!.counts;
    const numbers: Numbers = {
      [`runs_${outcome(id)}`]: 1,
      passed: standing.filter(({ status }) => status === 'Passed').length,
      failed: standing.filter(({ status }) => status === 'Failed').length,
      skipped: standing.filter(({ status }) => status === 'Skipped').length,
      known_fail: standing.filter(({ status }) => status === 'KnownFail').length,
      new_failures,
      fixed,
      flaky_tests: flaky,
      known_failures: known,
      removed,
      lost_ms: isRerun ? duration(run)! : lostOf(own(id)),
    };
    const at = JSON.stringify([day, run.is_default, tool, environment_key]);
    for (const key of branch === null ? [at] : [at, `${at} ${branch}`]) {
      const row = rows.get(key) ?? { numbers: {}, durations: [], tests: new Set<string>() };
      add(row.numbers, numbers);
      if (duration(run) !== null) row.durations.push(duration(run)!);
      for (const { test_name } of ran) row.tests.add(test_name);
      rows.set(key, row);
    }
    const lines = new Map<string, ResultDocument[]>();
    for (const each of own(id)) lines.set(lineOf(each), [...(lines.get(lineOf(each)) ?? []), each]);
    for (const [line, all] of lines) {
      const counted = all.filter((each) => stands(each) && each.status !== 'Skipped');
      const key = JSON.stringify([day, run.is_default, ...(JSON.parse(line) as string[])]);
      const test = tests.get(key) ?? { numbers: {}, durations: [] };
      const failedBefore = all.some((each) => !stands(each) && each.status === 'Failed');
      const passed = counted.some(({ status }) => status === 'Passed');
      add(test.numbers, {
        runs: counted.length > 0 ? 1 : 0,
        failures: counted.some(({ status }) => status === 'Failed') ? 1 : 0,
        flaky_runs: passed && failedBefore ? 1 : 0,
        lost_ms: lostOf(all),
      });
      for (const { execution_time_ms: ms } of counted) if (ms !== null) test.durations.push(ms);
      tests.set(key, test);
    }
  }
  for (const [key, { numbers }] of tests)
    if (Object.values(numbers).every((number) => number === 0)) tests.delete(key);
  return { rows, tests };
}

function add(numbers: Numbers, more: Numbers): void {
  for (const [name, by] of Object.entries(more)) numbers[name] = (numbers[name] ?? 0) + by;
}
