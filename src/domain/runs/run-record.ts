/** The state of a run, as its decider folds it. */
import type { BaselineWord } from '../comparison/baseline.js';
import type { Instant } from '../event.js';
import type { EventData } from '../events.js';
import type { Gone, None, Present } from '../life.js';
import type { Calls } from './run-calls.js';
import { runDescription, type RunDescription } from './run-description.js';
import type { UnreadReport } from './unread-reports.js';

export type Metadata = Record<string, unknown>;
export const runStatuses = ['Pending', 'Running', 'Completed'] as const;
export type RunStatus = (typeof runStatuses)[number];

export type RunRecord = RunDescription & {
  test_run_id: string;
  project_id: string;
  /** The key that joins calls to the run. */
  run_key: string | null;
  status: RunStatus;
  started_at: Instant | null;
  finished_at: Instant | null;
  completions: number;
  /** Null while it is not completed. One that was `idle` was ended by the server: nobody said that all of it is there. */
  completed_by: EventData['RunCompleted']['reason'] | null;
  /** The number of results that were submitted, without those that were replaced at once. */
  items: number;
  /** The calls whose reports were not read as a whole; absent if there are none. */
  unread?: readonly UnreadReport[];
  /** What a person said of it as a baseline; absent until somebody does. */
  baseline?: BaselineWord | null;
  /** When it was redacted last; absent if it was not. */
  redacted_at?: Instant;
  /** All of it is kept, whatever the retention of its project says. Absent until somebody pins it. */
  pinned?: boolean;
  created_at: Instant;
  updated_at: Instant;
  calls: Calls;
};

export type Run = None | Gone | Present<RunRecord>;

/** A run as it begins. The documents of the read models are stored with their fields in this order. */
export const blankRun: Omit<RunRecord, 'calls'> = {
  ...runDescription({}),
  test_run_id: '',
  project_id: '',
  run_key: null,
  status: 'Pending',
  started_at: null,
  finished_at: null,
  completions: 0,
  completed_by: null,
  items: 0,
  created_at: '',
  updated_at: '',
};
