/** What happens by a submission: of a whole run, or of one of the calls that a run with a key is made of. */
import type { Instant } from '../event.js';
import type { EventData, Fact, RunEvent } from '../events.js';
import { earliest, latest } from '../instant.js';
import { complete, describe, type RunIds } from './run-facts.js';
import { blankRun } from './run-record.js';
import { attemptsOf, isComplete, isRepeat, noCalls } from './run-calls.js';
import type { Report } from './unread-reports.js';
import type { Run, RunRecord } from './run-record.js';
import { filledIn, runDescription, type RunDescription } from './run-description.js';

export type SubmitRun = { type: 'SubmitRun' } & RunIds & Partial<RunDescription> & SubmittedItems;

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

/** One append starts and completes the run, so a reader never sees it without its end. */
export function submit(command: SubmitRun): Fact<RunEvent>[] {
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
export function submitTo(state: Run, command: SubmitToRun): Fact<RunEvent>[] {
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

/** The run ends with the last of its calls, and not before it starts. */
function endOf(present: RunRecord, { finished_at, shard }: SubmitToRun, started: Instant | null) {
  const ends = [present.finished_at, present.calls.finished_at, started].filter((end) => end !== null);
  return complete(present, ends.reduce(latest, finished_at), shard === null ? 'requested' : 'shards');
}
