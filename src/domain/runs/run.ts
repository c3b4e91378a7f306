/** A test run: its status may change in any order (docs/api.md, section 2). */
import type { BaselineWord } from '../comparison/baseline.js';
import type { Decider } from '../decider.js';
import type { Instant } from '../event.js';
import type { Fact, RunEvent } from '../events.js';
import { mustBeNone, mustBePresent, none, purged } from '../life.js';
import { redactedDescription } from '../redaction/mask.js';
import { noCalls, withCall } from './run-calls.js';
import { withReport } from './unread-reports.js';
import { blankRun, type Run, type RunRecord, type RunStatus } from './run-record.js';
import { filledIn, runDescription, type RunDescription } from './run-description.js';
import { complete, describe, idsOf, type RunIds } from './run-facts.js';
import { submit, submitTo, type SubmitRun, type SubmitToRun } from './submissions.js';
import { decideRedaction, type RedactRun } from './redact-run.js';
import { limits } from '../../limits.js';

export * from './run-record.js';

export type RunCommand =
  /** With a key, the run may be there already. */
  | ({ type: 'CreateRun'; run_key?: string | null } & RunIds & Partial<RunDescription>)
  /** Records a whole run. Its `items` results are in its `items-` stream already. */
  | SubmitRun
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

function unreadAfter(
  present: RunRecord['unread'],
  call: Parameters<typeof withReport>[1],
): Pick<RunRecord, 'unread'> {
  const unread = withReport(present, call);
  return unread === undefined ? {} : { unread };
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
