/** What is kept of a result, by the retention of its project. */
import type { ProjectDocument } from '../../projections/records/projects.js';
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import { addMilliseconds } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { keptForMs, retentionOf, type Retention } from '../domain/retention.js';

/** The kinds of results that retention tells apart. */
export const kinds = ['contents', 'passed_contents'] as const satisfies (keyof Retention)[];
export type Kind = (typeof kinds)[number];

type Owner = Pick<ProjectDocument, 'retention' | 'default_branch'>;
type OfRun = Pick<RunDocument, 'branch' | 'pinned'> | null;
type OfResult = Pick<ResultDocument, 'status' | 'created_at'>;

export function kindOf({ status }: Pick<ResultDocument, 'status'>): Kind {
  return status === 'Passed' ? 'passed_contents' : 'contents';
}

/**
 * When the time of its contents is over; null for never. It begins when the result was recorded. Those of failures of the default
 * branch, and all of a pinned run, are kept for ever.
 */
export function contentsEnd(
  { retention, default_branch }: Owner,
  run: OfRun,
  result: OfResult,
): Instant | null {
  if (run?.pinned === true) return null;
  if (result.status !== 'Passed' && run?.branch === default_branch) return null;
  // The life of artifacts does not matter here.
  const ms = keptForMs(retentionOf(retention, 0)[kindOf(result)]);
  return ms === Infinity ? null : addMilliseconds(result.created_at, ms);
}
