/** A test run: its status may change in any order (docs/api.md, section 2). */
import { isDeepStrictEqual } from 'node:util';
import { differences, type Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, Fact, RunEvent } from './events.js';
import { mustBeNone, mustBePresent, none, type None, type Present } from './life.js';
import { limits } from '../limits.js';

export type Metadata = Record<string, unknown>;
export type RunStatus = 'Pending' | 'Running' | 'Completed';

/** The fields that a client describes a run with. A new one is added here, to `blank` and to the schemas. */
const descriptionFields = ['label', 'metadata'] as const;
export type RunDescription = Pick<EventData['RunCreated'], (typeof descriptionFields)[number]>;

export type RunRecord = RunDescription & {
  test_run_id: string;
  project_id: string;
  status: RunStatus;
  started_at: Instant | null;
  finished_at: Instant | null;
  completions: number;
  /** The number of results that were submitted with the run. */
  items: number;
  created_at: Instant;
  updated_at: Instant;
};

export type Run = None | Present<RunRecord>;

type RunIds = { run_id: string; project_id: string };

export type RunCommand =
  | ({ type: 'CreateRun' } & RunIds & Partial<RunDescription>)
  /** Records a whole run. Its `items` results are in its `items-` stream already. */
  | ({ type: 'SubmitRun' } & RunIds & Partial<RunDescription> & SubmittedItems)
  | ({ type: 'UpdateRun'; status?: RunStatus; at: Instant } & Partial<RunDescription>)
  | { type: 'CompleteIdleRun'; at: Instant };

type SubmittedItems = Pick<EventData['RunCreated'], 'items' | 'item_counts'> & {
  started_at: Instant | null;
  finished_at: Instant;
};

export const run: Decider<Run, RunCommand, RunEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateRun': {
        mustBeNone(state, 'run');
        const { run_id, project_id } = command;
        const data = { run_id, project_id, ...runDescription(command), items: 0 };
        return [{ type: 'RunCreated', data }];
      }
      case 'SubmitRun':
        mustBeNone(state, 'run');
        return submit(command);
      case 'UpdateRun': {
        const { type: _, status, at, ...wanted } = command;
        const present = mustBePresent(state, 'run');
        return [...describe(present, wanted), ...changeStatus(present, status, at)];
      }
      case 'CompleteIdleRun': {
        const present = mustBePresent(state, 'run');
        return present.status === 'Running' ? [complete(present, command.at, 'idle')] : [];
      }
    }
  },

  evolve(state, event) {
    const { at } = event.meta;
    if (event.type === 'RunCreated') {
      const { run_id: test_run_id, project_id, items } = event.data;
      const described = runDescription(event.data);
      return {
        life: 'present',
        ...blank,
        ...described,
        test_run_id,
        project_id,
        items,
        created_at: at,
        updated_at: at,
      };
    }
    if (state.life === 'none') return state;
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

  most: {
    events: limits.eventsPerStream,
    // A run must be able to end. Once it is completed, a full stream takes no other status.
    isExempt: (command, state) =>
      completes(command) && state.life === 'present' && state.status !== 'Completed',
  },
};

function completes(command: RunCommand): boolean {
  return (
    command.type === 'CompleteIdleRun' || (command.type === 'UpdateRun' && command.status === 'Completed')
  );
}

/** Picks the description out of a larger object. A field that is left out is null. */
export function runDescription(sent: Partial<RunDescription>): RunDescription {
  return Object.fromEntries(
    descriptionFields.map((name) => [name, sent[name] ?? null]),
  ) as unknown as RunDescription;
}

/** A run as it begins. The documents of the read models are stored with their fields in this order. */
const blank: RunRecord = {
  test_run_id: '',
  project_id: '',
  label: null,
  status: 'Pending',
  metadata: null,
  started_at: null,
  finished_at: null,
  completions: 0,
  items: 0,
  created_at: '',
  updated_at: '',
};

/** One append starts and completes the run, so a reader never sees it without its end. */
function submit(command: Extract<RunCommand, { type: 'SubmitRun' }>): Fact<RunEvent>[] {
  const { run_id, project_id, started_at, finished_at, items, item_counts } = command;
  const counted = { items, ...(item_counts && { item_counts }) };
  return [
    { type: 'RunCreated', data: { run_id, project_id, ...runDescription(command), ...counted } },
    ...(started_at === null
      ? []
      : [{ type: 'RunStarted' as const, data: { run_id, project_id, started_at } }]),
    { type: 'RunCompleted', data: { run_id, project_id, finished_at, completion: 1, reason: 'requested' } },
  ];
}

function describe(present: RunRecord, wanted: Partial<RunDescription>): Fact<RunEvent>[] {
  const changed = differences<Partial<RunDescription>>(present, wanted, isDeepStrictEqual);
  if (Object.keys(changed).length === 0) return [];
  return [{ type: 'RunDescribed', data: { ...idsOf(present), ...changed } }];
}

/** A run that is running is not started again. Each completion counts, since each shard may complete the run. */
function changeStatus(present: RunRecord, status: RunStatus | undefined, at: Instant): Fact<RunEvent>[] {
  switch (status) {
    case undefined:
      return [];
    case 'Running':
      return present.status === 'Running'
        ? []
        : [{ type: 'RunStarted', data: { ...idsOf(present), started_at: at } }];
    case 'Completed':
      return [complete(present, at, 'requested')];
    case 'Pending':
      return present.status === 'Pending' ? [] : [{ type: 'RunReturnedToPending', data: idsOf(present) }];
  }
}

function complete(
  present: RunRecord,
  at: Instant,
  reason: EventData['RunCompleted']['reason'],
): Fact<RunEvent> {
  const completion = present.completions + 1;
  return { type: 'RunCompleted', data: { ...idsOf(present), finished_at: at, completion, reason } };
}

function idsOf({ test_run_id: run_id, project_id }: RunRecord): RunIds {
  return { run_id, project_id };
}
