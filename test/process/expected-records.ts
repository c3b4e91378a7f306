/**
 * What a client knows of what it wrote: each thing as the last answer left it, and the write that was under way when
 * the server was killed. One writer owns a thing and writes one thing at a time, so there is one such write at most.
 */
import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';

export type Fields = Record<string, any>;

export type Write = { method: 'POST' | 'DELETE'; path: string; body?: object; key: string | null };

export type Pending = {
  write: Write;
  sentAt: string;
  /** Answered, though the server was killed before it could be asked what has become of the thing. */
  acknowledged: boolean;
  /** What the write makes of the thing at an instant; null: the thing is not there. */
  after(before: Fields | null, at: string): Fields | null;
  /** What else it means for the model. */
  effect?(): void;
};

type Thing = {
  /** Stands in `metadata.mark`, always: by it a thing is found whose creation was never answered. */
  mark: string;
  id: string | null;
  /** Null: not there. */
  record: Fields | null;
  pending: Pending | null;
};

export type Result = Thing & {
  kind: 'result';
  run: Run | null;
  retryOf: Result | null;
  /** It was retried; or a retry that was never answered holds the right to. */
  claimed: boolean;
};

export type Run = Thing & {
  kind: 'run';
  /** All writers write results into it and complete it: what it counts at an instant is nobody's to know. */
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

/** The record of a result as a GET has to show it. */
export function shownResult(result: Result): Fields | null {
  if (result.record === null) return null;
  const retry = result.run?.results.find(({ record, retryOf }) => record !== null && retryOf === result);
  return {
    ...result.record,
    test_run_label: result.run?.record?.['label'] ?? null,
    superseded_by: retry?.id ?? null,
  };
}

/** The record of a run of one writer as a GET has to show it. */
export function shownRun(run: Run): Fields | null {
  if (run.record === null) return null;
  return { ...run.record, counts: countsOf(present(run).map(({ record }) => record!['status'])) };
}

/**
 * Takes what was seen of a thing, null where it is not there: exactly what the last answered write left, or else
 * what the write under way makes of that, as a whole.
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
