/** A test run: any order of statuses (docs/api.md, section 2). */
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../errors.js';
import { differences, type Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, Fact, RunEvent } from './events.js';
import { limits } from '../limits.js';

export type Metadata = Record<string, unknown>;
export type RunStatus = 'Pending' | 'Running' | 'Completed';

export type RunRecord = {
  test_run_id: string;
  project_id: string;
  label: string | null;
  status: RunStatus;
  metadata: Metadata | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  completions: number;
  /** Results that were submitted with it. */
  items: number;
  created_at: Instant;
  updated_at: Instant;
};

export type Run = { exists: false } | ({ exists: true } & RunRecord);

export type RunCommand =
  | ({ type: 'CreateRun'; run_id: string; project_id: string } & Required<Described>)
  /** A whole run at once: `items` results of it lie in its `items-` stream already. */
  | ({ type: 'SubmitRun'; run_id: string; project_id: string } & Required<Described> & Submission)
  | ({ type: 'UpdateRun'; status?: RunStatus; at: Instant } & Described)
  | { type: 'CompleteIdleRun'; at: Instant };

type Submission = Pick<EventData['RunCreated'], 'items' | 'item_counts'> & {
  started_at: Instant | null;
  finished_at: Instant;
};

type Described = { label?: string | null; metadata?: Metadata | null };

export const run: Decider<Run, RunCommand, RunEvent> = {
  initial: { exists: false },

  decide(command, state) {
    if (command.type === 'CreateRun') {
      if (state.exists) fail('write_conflict', 'The run is there already.');
      const { type: _, ...data } = command;
      return [{ type: 'RunCreated', data: { ...data, items: 0 } }];
    }
    if (command.type === 'SubmitRun') {
      if (state.exists) fail('write_conflict', 'The run is there already.');
      return submitted(command);
    }
    if (!state.exists) fail('not_found', 'There is no such run.');
    switch (command.type) {
      case 'UpdateRun': {
        const { type: _, status, at, ...wanted } = command;
        const changed = differences<Described>(state, wanted, isDeepStrictEqual);
        const described: Fact<RunEvent>[] =
          Object.keys(changed).length === 0
            ? []
            : [{ type: 'RunDescribed', data: { ...idsOf(state), ...changed } }];
        return [...described, ...(status === undefined ? [] : turn(state, status, at))];
      }
      case 'CompleteIdleRun':
        return state.status === 'Running' ? [completed(state, command.at, 'idle')] : [];
    }
  },

  evolve(state, event) {
    const { at } = event.meta;
    if (event.type === 'RunCreated') {
      const { run_id, project_id, label, metadata, items } = event.data;
      return {
        exists: true,
        test_run_id: run_id,
        project_id,
        label,
        status: 'Pending',
        metadata,
        started_at: null,
        finished_at: null,
        completions: 0,
        items,
        created_at: at,
        updated_at: at,
      };
    }
    if (!state.exists) return state;
    switch (event.type) {
      case 'RunDescribed': {
        const { run_id: _, ...changed } = event.data;
        return { ...state, ...changed, updated_at: at };
      }
      case 'RunStarted':
        return {
          ...state,
          status: 'Running',
          started_at: event.data.started_at,
          finished_at: null,
          updated_at: at,
        };
      case 'RunCompleted':
        return {
          ...state,
          status: 'Completed',
          finished_at: event.data.finished_at,
          completions: event.data.completion,
          updated_at: at,
        };
      case 'RunReturnedToPending':
        return { ...state, status: 'Pending', updated_at: at };
      default:
        return state;
    }
  },
};

/** It was begun and is completed with the one append that makes it true. */
function submitted(command: Extract<RunCommand, { type: 'SubmitRun' }>): Fact<RunEvent>[] {
  const { type: _, started_at, finished_at, ...data } = command;
  const { run_id, project_id } = data;
  return [
    { type: 'RunCreated', data },
    ...(started_at === null
      ? []
      : [{ type: 'RunStarted' as const, data: { run_id, project_id, started_at } }]),
    { type: 'RunCompleted', data: { run_id, project_id, finished_at, completion: 1, reason: 'requested' } },
  ];
}

/** Running again changes nothing; each completion counts, since shards may each complete. */
function turn(state: RunRecord, status: RunStatus, at: Instant): Fact<RunEvent>[] {
  switch (status) {
    case 'Running':
      return state.status === 'Running'
        ? []
        : [{ type: 'RunStarted', data: { ...idsOf(state), started_at: at } }];
    case 'Completed':
      return [completed(state, at, 'requested')];
    case 'Pending':
      return state.status === 'Pending' ? [] : [{ type: 'RunReturnedToPending', data: idsOf(state) }];
  }
}

function completed(
  state: RunRecord,
  at: Instant,
  reason: EventData['RunCompleted']['reason'],
): Fact<RunEvent> {
  const completion = state.completions + 1;
  return { type: 'RunCompleted', data: { ...idsOf(state), finished_at: at, completion, reason } };
}

function idsOf(state: RunRecord): { run_id: string; project_id: string } {
  return { run_id: state.test_run_id, project_id: state.project_id };
}

/**
 * What is understood of a run's metadata: a text of up to `limits.branchLength` characters, null for anything else. It is copied into
 * each of its results: a "branch" of 64 KiB would make gigabytes of a submission.
 */
export function textFromMetadata(
  metadata: Metadata | null | undefined,
  name: 'branch' | 'commit',
): string | null {
  const value = metadata?.[name];
  if (typeof value !== 'string' || value.length > 2 * limits.branchLength) return null;
  return Array.from(value).length > limits.branchLength ? null : value;
}
