/** Chooses the next random write, and says what its record becomes: docs/api.md, section 2, as a client reads it. */
import {
  countsOf,
  present,
  type Fields,
  type Pending,
  type Result,
  type Run,
  type Write,
} from '../expected-records.js';
import type { Random } from '../seeded-random.js';

/**
 * The part of a writer that its choices depend on: the things that it owns, and the runs that it shares with the
 * others.
 */
export type Planner = {
  name: string;
  random: Random;
  project: string;
  runs: Run[];
  results: Result[];
  shared: readonly Run[];
  /** The number of things that it has made. */
  made: number;
};

export type Planned = Omit<Write, 'key'> & Pick<Pending, 'after' | 'effect'> & { thing: Result | Run };

const final = ['Passed', 'Failed', 'Skipped', 'KnownFail'];
const any = ['Pending', 'Running', ...final];

const plans: readonly [weight: number, plan: (planner: Planner) => Planned | null][] = [
  [2, createRun],
  [6, describeRun],
  [8, turnRun],
  [2, completeShared],
  [30, createResult],
  [8, retryResult],
  [10, startResult],
  [12, finishResult],
  [12, updateResult],
  [7, deleteResult],
];

export function nextWrite(planner: Planner): Planned {
  const total = plans.reduce((sum, [weight]) => sum + weight, 0);
  let left = planner.random.below(total);
  const [, plan] = plans.find(([weight]) => (left -= weight) < 0)!;
  return plan(planner) ?? (planner.runs.length === 0 ? createRun(planner) : createResult(planner));
}

function createRun(planner: Planner): Planned {
  const { mark, metadata } = marked(planner);
  const label = `run ${mark}`;
  const run: Run = {
    kind: 'run',
    mark,
    id: null,
    record: null,
    pending: null,
    shared: false,
    results: [],
    completions: 0,
    uncertain: 0,
  };
  planner.runs.push(run);
  const project_id = planner.project;
  return {
    thing: run,
    method: 'POST',
    path: '/v1/test/run/',
    body: { project_id, label, metadata },
    after: (_, at) => ({
      test_run_id: run.id,
      project_id,
      run_key: null,
      label,
      status: 'Pending',
      metadata,
      started_at: null,
      finished_at: null,
      created_at: at,
      updated_at: at,
      count_snapshot: null,
    }),
  };
}

/** Often with a status too. That makes two events, and a crash must not leave one of them. */
function describeRun(planner: Planner): Planned | null {
  const run = lately(planner, planner.runs);
  if (run === undefined) return null;
  const metadata = { mark: run.mark, write: planner.random.below(1e9) };
  const described = { label: `run ${metadata.write}`, metadata };
  const turned = planner.random.chance(0.5) ? turnRun(planner, run) : null;
  return {
    thing: run,
    method: 'POST',
    path: `/v1/test/run/${run.id}`,
    body: { ...described, ...turned?.body },
    after: (before, at) => ({ ...(turned?.after(before, at) ?? before), ...described, updated_at: at }),
    ...(turned?.effect && { effect: turned.effect }),
  };
}

function turnRun(planner: Planner, run = lately(planner, planner.runs)): Planned | null {
  if (run === undefined) return null;
  const others = ['Pending', 'Running'].filter((status) => status !== run.record?.['status']);
  const status = planner.random.chance(0.6) ? 'Completed' : planner.random.pick(others)!;
  const write = { thing: run, method: 'POST', path: `/v1/test/run/${run.id}`, body: { status } } as const;
  const turned = (before: Fields | null, at: string) => ({ ...before, status, updated_at: at });
  if (status === 'Pending') return { ...write, after: turned };
  if (status === 'Running') {
    return {
      ...write,
      after: (before, at) => ({ ...turned(before, at), started_at: at, finished_at: null }),
    };
  }
  const counts = countsOf(present(run).map(({ record }) => record!['status']));
  return {
    ...write,
    after: (before, at) => ({
      ...turned(before, at),
      finished_at: at,
      count_snapshot: { ...counts, at },
    }),
    effect: () => (run.completions += 1),
  };
}

/** As shards do. Others write to the run at the same time, so its counts are checked only when no writer is active. */
function completeShared(planner: Planner): Planned | null {
  const run = planner.random.pick(planner.shared);
  if (run === undefined) return null;
  const path = `/v1/test/run/${run.id}`;
  // A copy: other writers may complete the run at the same moment.
  return {
    thing: { ...run },
    method: 'POST',
    path,
    body: { status: 'Completed' },
    after: (before) => before,
  };
}

function createResult(planner: Planner): Planned {
  const { random, shared } = planner;
  const common = random.chance(0.25) ? random.pick(shared) : undefined;
  const run = common ?? lately(planner, planner.runs) ?? null;
  return newResult(planner, random.chance(0.05) ? null : run, `test ${random.below(50)}`, null);
}

function retryResult(planner: Planner): Planned | null {
  const former = lately(planner, planner.results);
  if (former === undefined || former.claimed || former.run === null) return null;
  former.claimed = true;
  return newResult(planner, former.run, former.record!['test_name'], former);
}

function newResult(planner: Planner, run: Run | null, test_name: string, retryOf: Result | null): Planned {
  const { random, project: project_id } = planner;
  const { mark, metadata } = marked(planner);
  const status = random.pick(any)!;
  const result: Result = {
    kind: 'result',
    mark,
    id: null,
    record: null,
    pending: null,
    run,
    retryOf,
    claimed: false,
  };
  planner.results.push(result);
  run?.results.push(result);
  const attempt = retryOf === null ? 1 : Number(retryOf.record!['attempt']) + 1;
  const body = { project_id, test_name, status, metadata };
  return {
    thing: result,
    method: 'POST',
    path: '/v1/test/result/',
    body: {
      ...body,
      ...(run !== null && { test_run_id: run.id }),
      ...(retryOf !== null && { retry_of: retryOf.id }),
    },
    after: (_, at) => ({
      test_result_id: result.id,
      test_run_id: run?.id ?? null,
      ...body,
      attempt,
      error_message: null,
      started_at: null,
      finished_at: null,
      execution_time_ms: null,
      created_at: at,
      updated_at: at,
    }),
  };
}

function startResult(planner: Planner): Planned | null {
  const result = lately(planner, planner.results);
  return (
    (result && {
      thing: result,
      method: 'POST',
      path: `/v1/test/result/${result.id}/start`,
      after: (before, at) => ({
        ...before,
        status: before!['status'] === 'Pending' ? 'Running' : before!['status'],
        started_at: at,
        finished_at: null,
        execution_time_ms: null,
        updated_at: at,
      }),
    }) ??
    null
  );
}

function finishResult(planner: Planner): Planned | null {
  const result = lately(planner, planner.results);
  if (result === undefined) return null;
  const body = { status: planner.random.pick(final)!, error_message: `finish ${planner.random.below(1e9)}` };
  return {
    thing: result,
    method: 'POST',
    path: `/v1/test/result/${result.id}/finish`,
    body,
    after: (before, at) => {
      const started = before!['started_at'] as string | null;
      const execution_time_ms = started === null ? null : Date.parse(at) - Date.parse(started);
      return { ...before, ...body, finished_at: at, execution_time_ms, updated_at: at };
    },
  };
}

function updateResult(planner: Planner): Planned | null {
  const result = lately(planner, planner.results);
  if (result === undefined) return null;
  const { random } = planner;
  const write = random.below(1e9);
  const body = {
    metadata: { mark: result.mark, write },
    ...(random.chance(0.5) && { status: random.pick(any) }),
    ...(random.chance(0.5) && { error_message: `update ${write}`, execution_time_ms: write }),
  };
  return {
    thing: result,
    method: 'POST',
    path: `/v1/test/result/${result.id}`,
    body,
    after: (before, at) => ({ ...before, ...body, updated_at: at }),
  };
}

function deleteResult(planner: Planner): Planned | null {
  const result = lately(planner, planner.results);
  if (result === undefined) return null;
  return {
    thing: result,
    method: 'DELETE',
    path: `/v1/test/result/${result.id}`,
    after: () => null,
    effect: () => {
      if (result.retryOf !== null) result.retryOf.claimed = false;
    },
  };
}

/** One of the newest things that exist: so things get a history, and new ones still come. */
function lately<T extends Result | Run>({ random }: Planner, things: readonly T[]): T | undefined {
  return random.pick(things.slice(-12).filter(({ record }) => record !== null));
}

function marked(planner: Planner): { mark: string; metadata: { mark: string; write: number } } {
  planner.made += 1;
  const mark = `${planner.name}-${planner.made}`;
  return { mark, metadata: { mark, write: 0 } };
}
