/** Finds a run, and waits until it can be judged. */
import { setTimeout as pause } from 'node:timers/promises';
import { TestledgerError, type Client } from '../../client/index.js';
import { failWith } from '../errors.js';
import { answered } from './answered.js';
import type { Comparison, Run } from '../summary/facts.js';

export type RunWanted = { id: string } | { project: string; key: string };

export type AwaitedRun = {
  run: Run & { project_id: string; pull_request: string | null };
  comparison: Comparison;
  /** False where the read models lag behind: failures that were sent may be missing, so it must not be taken for green. */
  isCurrent: boolean;
};

/** What to wait for: the end of the run, or only answers that show all that has come. */
export type AwaitedState = 'completed' | 'current';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 3_000;

/**
 * Returns the run as it is after `waitMs` at the latest; then it may not be completed, or not be current. An answer of read
 * models that are behind is asked for again. @throws CliError `run_unknown`; TestledgerError
 */
export async function awaitRun(
  client: Client,
  wanted: RunWanted,
  waitMs: number,
  state: AwaitedState = 'completed',
): Promise<AwaitedRun> {
  const end = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const isLast = performance.now() >= end;
    const { data: run, isStale } = await runOf(client, wanted, isLast);
    const isReached = run !== null && !isStale && (state === 'current' || run.status === 'completed');
    if (run !== null && (isLast || isReached)) {
      const compared = await comparisonOf(client, run.id);
      const isCurrent = !isStale && !compared.isStale;
      if (isLast || isCurrent) return { run, comparison: compared.data, isCurrent };
    }
    await pause(Math.min(pauseMs, Math.max(end - performance.now(), 0)));
  }
}

type Read<T> = { data: T; isStale: boolean };

/** Null while a run is not there yet: another job may still be making it. */
async function runOf(
  client: Client,
  wanted: RunWanted,
  isLast: boolean,
): Promise<Read<AwaitedRun['run'] | null>> {
  try {
    if ('id' in wanted) {
      const call = client.GET('/v1/test-runs/{id}', { params: { path: { id: wanted.id } } });
      return await read<AwaitedRun['run']>(call);
    }
    const query = { project_id: wanted.project, run_key: wanted.key };
    const { data, isStale } = await read<AwaitedRun['run'][]>(
      client.GET('/v1/test-runs', { params: { query } }),
    );
    if (data[0] !== undefined || !isLast) return { data: data[0] ?? null, isStale };
  } catch (error) {
    if (!(error instanceof TestledgerError && error.status === 404)) throw error;
    if (!('id' in wanted)) throw error;
  }
  return failWith(
    'run_unknown',
    'id' in wanted ? `there is no run ${wanted.id}` : `there is no run with the key "${wanted.key}"`,
  );
}

function comparisonOf(client: Client, id: string): Promise<Read<Comparison>> {
  return read<Comparison>(client.GET('/v1/test-runs/{id}/comparison', { params: { path: { id } } }));
}

async function read<T>(answering: Parameters<typeof answered>[0]): Promise<Read<T>> {
  const { body, isStale } = await answered<{ data: T }>(answering);
  return { data: body.data, isStale };
}
