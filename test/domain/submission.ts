/** The events of a bulk submission's items, by the plainest reading of the contract. */
import { statusWords } from '../../src/domain/result.js';
import type { EventData } from '../../src/domain/events.js';
import { itemId } from '../../src/domain/ids.js';

export type Submitted = EventData['ResultSubmitted'];

/** An item of a submission. A field that is left out gets a usual value. */
export type Item = Partial<Omit<Submitted, 'result_id' | 'project_id' | 'run_id'>>;

export type RunIds = { run_id: string; project_id: string; submission_id?: string };

/** Returns the data of one event per item, in order. */
export function submittedItems(
  { run_id, project_id, submission_id = run_id }: RunIds,
  items: readonly Item[],
): Submitted[] {
  const whole = items.map((item) => ({ test_name: 'adds up', attempt: 1, ...item }));
  /** The ordinal of the first item of each attempt, by test. */
  const firsts = new Map<string, Map<number, number>>();
  for (const [ordinal, { test_name, attempt }] of whole.entries()) {
    const attempts = firsts.get(test_name) ?? new Map<number, number>();
    if (!attempts.has(attempt)) attempts.set(attempt, ordinal);
    firsts.set(test_name, attempts);
  }
  const superseders = whole.map(({ test_name, attempt }) => {
    const attempts = firsts.get(test_name)!;
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
