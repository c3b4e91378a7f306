/** What is kept of a result, by the retention of its project. */
import type { ProjectDocument } from '../../projections/records/projects.js';
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import { addMilliseconds } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { contentsKeptForMs, retentionOf, type Retention } from '../domain/retention.js';

/** The kinds of results that retention tells apart. */
export const kinds = ['contents', 'passed_contents'] as const satisfies (keyof Retention)[];
export type Kind = (typeof kinds)[number];

type Owner = Pick<ProjectDocument, 'retention' | 'default_branch'>;
type OfRun = Pick<RunDocument, 'branch' | 'pinned'> | null;
type OfResult = Pick<ResultDocument, 'status' | 'created_at'>;

export function kindOf({ status }: Pick<ResultDocument, 'status'>): Kind {
  return status === 'Passed' ? 'passed_contents' : 'contents';
}

/** When the time of its contents is over; null for never. It begins when the result was recorded. */
export function contentsEnd(owner: Owner, run: OfRun, { status, created_at }: OfResult): Instant | null {
  // The life of artifacts does not matter here.
  const policy = retentionOf(owner.retention, 0);
  const ofRun = run && { pinned: run.pinned, isOfDefaultBranch: run.branch === owner.default_branch };
  const ms = contentsKeptForMs(policy, status, ofRun);
  return ms === Infinity ? null : addMilliseconds(created_at, ms);
}
