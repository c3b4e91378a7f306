/** A test run: its status may change in any order (docs/api.md, section 2). */
import { isDeepStrictEqual } from 'node:util';
import type { BaselineWord } from '../comparison/baseline.js';
import { differences, type Decider } from '../decider.js';
import type { Instant } from '../event.js';
import type { EventData, Fact, RunEvent } from '../events.js';
import { earliest, latest } from '../instant.js';
import { mustBeNone, mustBePresent, none, purged } from '../life.js';
import { redactedDescription } from '../redaction/mask.js';
import { attemptsOf, isComplete, isRepeat, noCalls, withCall } from './run-calls.js';
import { withReport, type Report } from './unread-reports.js';
import type { Run, RunRecord, RunStatus } from './run-record.js';
import { filledIn, runDescription, type RunDescription } from './run-description.js';
import { decideRedaction, type RedactRun } from './redact-run.js';
import { limits } from '../../limits.js';

export * from './run-record.js';

type RunIds = { run_id: string; project_id: string };

export type RunCommand =
  /** With a key, the run may be there already. */
  | ({ type: 'CreateRun'; run_key?: string | null } & RunIds & Partial<RunDescription>)
  /** Records a whole run. Its `items` results are in its `items-` stream already. */
  | ({ type: 'SubmitRun' } & RunIds & Partial<RunDescription> & SubmittedItems)
  /** Records one of the calls that a run with a key is made of. Its items are in an `items-` stream of their own already. */
  | SubmitToRun
  | ({
      type: 'UpdateRun';
      status?: RunStatus;
      baseline?: BaselineWord | null;
      pinned?: boolean;
      at: Instant;
    } & Partial<RunDescription>)
  | { type: 'CompleteIdleRun'; at: Instant }
  | { type: 'PurgeRun' }
  | RedactRun;

type SubmittedItems = Pick<EventData['RunCreated'], 'items' | 'item_counts'> & {
  started_at: Instant | null;
  finished_at: Instant;
  report?: Report | null;
};

export type SubmitToRun = { type: 'SubmitToRun'; run_key: string; at: Instant } & RunIds &
  Partial<RunDescription> &
  Omit<EventData['ItemsSubmitted'], keyof RunIds | 'completes' | 'report'> & {
    started_at: Instant | null;
    /** Absent or null for a report that was read as a whole. */
    report?: Report | null;
    /** The call completes the run. A run with shards is completed when all of them are there. */
    complete: boolean;
  };

export const run: Decider<Run, RunCommand, RunEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateRun': {
        const { run_id, project_id, run_key = null } = command;
        if (run_key !== null && state.life === 'present') return describe(state, filledIn(state, command));
        mustBeNone(state, 'run');
        const data = { run_id, project_id, run_key, ...runDescription(command), items: 0 };
        return [{ type: 'RunCreated', data }];
      }
      case 'SubmitRun':
        mustBeNone(state, 'run');
        return submit(command);
      case 'SubmitToRun':
        return submitTo(state, command);
      case 'UpdateRun': {
        const { type: _, status, baseline, pinned, at, ...wanted } = command;
        const present = mustBePresent(state, 'run');
        const word = {
          ...(baseline !== undefined && baseline !== (present.baseline ?? null) && { baseline }),
          ...(pinned !== undefined && pinned !== (present.pinned ?? false) && { pinned }),
        };
        return [...describe(present, wanted, word), ...changeStatus(present, status, at)];
      }
      case 'CompleteIdleRun': {
        const present = mustBePresent(state, 'run');
        return present.status === 'Running' ? [complete(present, command.at, 'idle')] : [];
      }
      case 'PurgeRun':
        return [{ type: 'RunPurged', data: idsOf(mustBePresent(state, 'run')) }];
      case 'RedactRun':
        return decideRedaction(mustBePresent(state, 'run'), command);
    }
  },

  evolve(state, event) {
    const { at } = event.meta;
    if (event.type === 'RunCreated') {
      const { run_id: test_run_id, project_id, run_key, items } = event.data;
      const described = runDescription(event.data);
      return {
        life: 'present',
        ...blankRun,
        calls: noCalls,
        ...described,
        test_run_id,
        project_id,
        run_key,
        items,
        ...unreadAfter(undefined, { shard: null, ...event.data }),
        created_at: at,
        updated_at: at,
      };
    }
    if (state.life !== 'present') return state;
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
          completed_by: null,
          updated_at: at,
        };
      case 'RunCompleted':
        return {
          ...state,
          status: 'Completed',
          finished_at: event.data.finished_at,
          completions: event.data.completion,
          completed_by: event.data.reason,
          updated_at: at,
        };
      case 'RunReturnedToPending':
        return { ...state, status: 'Pending', completed_by: null, updated_at: at };
      case 'ItemsSubmitted': {
        const items = state.items + event.data.items - event.data.replaced;
        const { unread, ...present } = state;
        const calls = withCall(state.calls, event.data);
        return { ...present, ...unreadAfter(unread, event.data), items, calls, updated_at: at };
      }
      case 'RunRedacted':
        return { ...state, ...redactedDescription(state), redacted_at: at, updated_at: at };
      case 'RunPurged':
        return purged;
      case 'ItemsReceived':
        return { ...state, calls: { ...state.calls, arriving: false } };
      default:
        return state;
    }
  },

  most: {
    events: limits.eventsPerStream,
    // A run must be able to end. Once it is completed, a full stream takes no other status.
    isExempt: (command, state) =>
      command.type === 'RedactRun' ||
      command.type === 'PurgeRun' ||
      (completes(command) && state.life === 'present' && state.status !== 'Completed'),
  },
};

function completes(command: RunCommand): boolean {
  switch (command.type) {
    case 'CompleteIdleRun':
      return true;
    case 'UpdateRun':
      return command.status === 'Completed';
    case 'SubmitToRun':
      return command.complete && command.items === 0;
    default:
      return false;
  }
}

/** Whether no reader ever sees the run in this state: the append that wrote its last event goes on. */
export function isSubmitting({ run_key, items, completions, calls }: RunRecord): boolean {
  return run_key === null ? items > 0 && completions === 0 : calls.arriving;
}

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

/** One append starts and completes the run, so a reader never sees it without its end. */
function submit(command: Extract<RunCommand, { type: 'SubmitRun' }>): Fact<RunEvent>[] {
  const { run_id, project_id, started_at, finished_at, items, item_counts, report } = command;
  const counted = { items, ...(item_counts && { item_counts }), ...(report && { report }) };
  return [
    {
      type: 'RunCreated',
      data: { run_id, project_id, run_key: null, ...runDescription(command), ...counted },
    },
    ...(started_at === null
      ? []
      : [{ type: 'RunStarted' as const, data: { run_id, project_id, started_at } }]),
    { type: 'RunCompleted', data: { run_id, project_id, finished_at, completion: 1, reason: 'requested' } },
  ];
}

/**
 * One append records the call, so a reader never sees a part of it. Of a call that is there already, the run takes only
 * what it lacks of its description, and its end. A call with items that does not complete the run makes it run, even if it was completed.
 */
function submitTo(state: Run, command: SubmitToRun): Fact<RunEvent>[] {
  const { run_id, project_id, run_key, submission_id, items, shard, at } = command;
  const ids = { run_id, project_id };
  const present: RunRecord =
    state.life === 'present'
      ? state
      : { ...blankRun, calls: noCalls, ...runDescription(command), test_run_id: run_id, project_id };
  const report = isOutdated(present, shard) ? null : (command.report ?? null);
  const addsItems = !isRepeat(present.calls, command) && (items > 0 || shard !== null || report !== null);
  const completes = shard === null ? command.complete : isComplete(present.calls, shard);
  const started = earliest(present.started_at, command.started_at) ?? (completes ? null : at);
  const created: Fact<RunEvent>[] =
    state.life === 'present'
      ? []
      : [
          {
            type: 'RunCreated',
            data: {
              ...ids,
              run_key,
              ...runDescription(command),
              items: 0,
              ...(addsItems && { with_items: true }),
            },
          },
        ];
  const described = describe(present, filledIn(present, command));
  const begun: Fact<RunEvent>[] =
    started === null || started === present.started_at
      ? []
      : [{ type: 'RunStarted', data: { ...ids, started_at: started } }];
  if (!addsItems) {
    // Of a run that the server ended, the word of its client comes late, and counts.
    const ends = command.complete && (present.status !== 'Completed' || present.completed_by === 'idle');
    const ended = ends ? [...begun, endOf(present, command, started)] : [];
    return [...created, ...described, ...ended];
  }
  const { item_counts, replaced, items_hash, duration_ms, finished_at } = command;
  const call = {
    submission_id,
    items,
    item_counts,
    replaced,
    shard,
    items_hash,
    duration_ms,
    finished_at,
    ...(report && { report }),
  };
  const runs = present.status === 'Running' || completes || begun.length > 0;
  return [
    ...created,
    { type: 'ItemsSubmitted', data: { ...ids, ...call, completes } },
    ...described,
    ...(runs ? begun : [{ type: 'RunStarted' as const, data: { ...ids, started_at: started ?? at } }]),
    ...(completes ? [endOf(present, command, started)] : []),
    { type: 'ItemsReceived', data: { ...ids, submission_id } },
  ];
}

/** Whether a higher attempt of the shard is there already, whose report holds. */
function isOutdated({ calls }: RunRecord, shard: SubmitToRun['shard']): boolean {
  return shard !== null && attemptsOf(calls, shard.index).some(({ attempt }) => attempt > shard.attempt);
}

function unreadAfter(
  present: RunRecord['unread'],
  call: Parameters<typeof withReport>[1],
): Pick<RunRecord, 'unread'> {
  const unread = withReport(present, call);
  return unread === undefined ? {} : { unread };
}

/** The run ends with the last of its calls, and not before it starts. */
function endOf(present: RunRecord, { finished_at, shard }: SubmitToRun, started: Instant | null) {
  const ends = [present.finished_at, present.calls.finished_at, started].filter((end) => end !== null);
  return complete(present, ends.reduce(latest, finished_at), shard === null ? 'requested' : 'shards');
}

function describe(
  present: RunRecord,
  wanted: Partial<RunDescription>,
  word: Pick<EventData['RunDescribed'], 'baseline' | 'pinned'> = {},
): Fact<RunEvent>[] {
  const changed = { ...differences<Partial<RunDescription>>(present, wanted, isDeepStrictEqual), ...word };
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
  // The client's clock may be ahead of ours: no run ends before it starts.
  const finished_at = latest(present.started_at ?? at, at);
  return { type: 'RunCompleted', data: { ...idsOf(present), finished_at, completion, reason } };
}

function idsOf({ test_run_id: run_id, project_id }: RunRecord): RunIds {
  return { run_id, project_id };
}
