/**
 * The records that a client expects to read: each as the last answer left it, and the write that was under way when
 * the server was killed. One writer owns a thing and sends one write at a time, so there is at most one such write.
 */
import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';

export type Fields = Record<string, any>;

export type Write = { method: 'POST' | 'DELETE'; path: string; body?: object; key: string | null };

export type Pending = {
  write: Write;
  sentAt: string;
  /** The write was answered, but the server was killed before the record was read. */
  acknowledged: boolean;
  /** The record after the write, done at an instant; null where it is deleted. */
  after(before: Fields | null, at: string): Fields | null;
  /** Any other change to what is expected. */
  effect?(): void;
};

type Thing = {
  /** Always in `metadata.mark`: it finds a thing whose creation was never answered. */
  mark: string;
  id: string | null;
  /** Null where there is none. */
  record: Fields | null;
  pending: Pending | null;
};

export type Result = Thing & {
  kind: 'result';
  run: Run | null;
  retryOf: Result | null;
  /** It was retried, or a retry of it is under way: a result has one retry. */
  claimed: boolean;
};

export type Run = Thing & {
  kind: 'run';
  /** All writers write results into it and complete it, so its counts at an instant are not known. */
  shared: boolean;
  results: Result[];
  completions: number;
  /** Completions that were never answered. */
  uncertain: number;
};

const fieldOfStatus: Record<string, string> = {
  Pending: 'pending',
  Running: 'running',
  Passed: 'passed',
  Failed: 'failed',
  Skipped: 'skipped',
  KnownFail: 'known_fail',
};

/** The counts of results with these statuses. */
export function countsOf(statuses: readonly string[]): Fields {
  const counts: Fields = { total: statuses.length };
  for (const [status, field] of Object.entries(fieldOfStatus)) {
    counts[field] = statuses.filter((each) => each === status).length;
  }
  return counts;
}

export function present(run: Run): Result[] {
  return run.results.filter(({ record }) => record !== null);
}

/** The record of a result as a GET must show it. */
export function shownResult(result: Result): Fields | null {
  if (result.record === null) return null;
  const retry = result.run?.results.find(({ record, retryOf }) => record !== null && retryOf === result);
  return {
    ...result.record,
    test_run_label: result.run?.record?.['label'] ?? null,
    superseded_by: retry?.id ?? null,
  };
}

/** The record of a run of one writer as a GET must show it. */
export function shownRun(run: Run): Fields | null {
  if (run.record === null) return null;
  return { ...run.record, counts: countsOf(present(run).map(({ record }) => record!['status'])) };
}

/**
 * Compares the record that was seen, null where there is none, with the expected one: either the record that the last
 * answered write left, or that record with all of the write under way applied.
 */
export function settle(thing: Result | Run, seen: Fields | null): void {
  const { pending, record: before } = thing;
  thing.id ??= (seen?.['test_result_id'] ?? seen?.['test_run_id'] ?? null) as string | null;
  thing.pending = null;
  if (pending !== null && (pending.acknowledged || !isDeepStrictEqual(seen, shown(thing)))) {
    const at = String(seen?.['updated_at'] ?? '');
    thing.record = pending.after(before, at);
    pending.effect?.();
    if (seen !== null) expect(at >= pending.sentAt && at <= now(), `${at} is of this write`).to.equal(true);
  }
  expect(seen, `${thing.kind} ${thing.mark}`).to.deep.equal(shown(thing));
}

function shown(thing: Result | Run): Fields | null {
  return thing.kind === 'run' ? shownRun(thing) : shownResult(thing);
}

export function now(): string {
  return new Date().toISOString();
}
