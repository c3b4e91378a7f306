/** The events of a bulk submission's items, by the plainest reading of the contract. */
import { resultEnvironment } from '../../src/domain/environment.js';
import { statusWords } from '../../src/domain/results/result.js';
import type { EventData } from '../../src/domain/events.js';
import { itemId } from '../../src/domain/ids.js';

export type Submitted = EventData['ResultSubmitted'];

/** An item of a submission. A field that is left out gets a usual value. */
export type Item = Partial<Omit<Submitted, 'result_id' | 'project_id' | 'run_id'>>;

/** `environment`: that of the call. */
export type RunIds = { run_id: string; project_id: string; submission_id?: string; environment?: string };

/** Returns the data of one event per item, in order. */
export function submittedItems(
  { run_id, project_id, submission_id = run_id, environment = '' }: RunIds,
  items: readonly Item[],
): Submitted[] {
  const whole = items.map((item) => ({ test_name: 'adds up', attempt: 1, ...item }));
  const lines = whole.map(({ test_name, metadata = null }) =>
    JSON.stringify([test_name, resultEnvironment(environment, metadata)]),
  );
  /** The ordinal of the first item of each attempt, by test and environment. */
  const firsts = new Map<string, Map<number, number>>();
  for (const [ordinal, { attempt }] of whole.entries()) {
    const attempts = firsts.get(lines[ordinal]!) ?? new Map<number, number>();
    if (!attempts.has(attempt)) attempts.set(attempt, ordinal);
    firsts.set(lines[ordinal]!, attempts);
  }
  const superseders = whole.map(({ attempt }, ordinal) => {
    const attempts = firsts.get(lines[ordinal]!)!;
    const next = Math.min(...[...attempts.keys()].filter((each) => each > attempt));
    return attempts.get(next) ?? null;
  });
  const superseded = new Map<number, number[]>();
  for (const [ordinal, by] of superseders.entries())
    if (by !== null) superseded.set(by, [...(superseded.get(by) ?? []), ordinal]);
  return whole.map((item, ordinal) => ({
    result_id: itemId(submission_id, ordinal),
    project_id,
    run_id,
    status: 'Passed',
    error_message: null,
    metadata: null,
    started_at: null,
    finished_at: null,
    execution_time_ms: null,
    superseded_by: superseders[ordinal] == null ? null : itemId(submission_id, superseders[ordinal]),
    supersedes: superseded.get(ordinal) ?? [],
    run_branch: null,
    run_commit: null,
    ...item,
  }));
}

/** Returns the number of items by status. */
export function countsOf(items: readonly Submitted[]) {
  const counts = { pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 };
  for (const { status } of items) counts[statusWords[status]] += 1;
  return counts;
}
