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
  const superseders = whole.map((item) => {
    const rivals = whole.filter((each) => each.test_name === item.test_name && each.attempt > item.attempt);
    const next = Math.min(...rivals.map(({ attempt }) => attempt));
    const ordinal = whole.findIndex((each) => each.test_name === item.test_name && each.attempt === next);
    return ordinal === -1 ? null : ordinal;
  });
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
    supersedes: superseders.flatMap((by, other) => (by === ordinal ? [other] : [])),
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
