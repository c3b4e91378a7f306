/**
 * Records a whole run at once. Its items come first, into a stream that no reader looks at yet. One append to the run's
 * own stream then makes them count. After any crash, the submission is there as a whole or not at all.
 */
import { environmentKeyIn } from '../../domain/environment.js';
import { streamName } from '../../domain/event.js';
import { latest } from '../../domain/instant.js';
import { run, type RunStatus } from '../../domain/runs/run.js';
import { runDescription } from '../../domain/runs/run-description.js';
import { textIn } from '../../domain/understood.js';
import { appendItems } from './append-items.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { checkProjectTakesWrites } from '../projects.js';
import type { EventLog } from '../../ports/event-log.js';
import type { BulkOrigin, Submission } from './submission.js';

export type Submitted = {
  run_id: string;
  /** The call made the run. */
  made: boolean;
  /** The run had the items of the call already. */
  repeated: boolean;
  status: RunStatus;
  /** The number of results that count, as the stream of the run shows it. */
  count: number;
  /** The ids of the call's results follow from it. Null for a call without results. */
  submission_id: string | null;
};

/** For a run without a key. @throws AppError `not_found`, `project_inactive`, `log_unavailable`, `overloaded`. */
export async function submitRun(
  commands: CommandHandler,
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
  context: CommandContext,
  submission: Submission,
): Promise<Submitted> {
  const { team, ids, at } = context;
  const { project_id, metadata, started_at } = submission;
  const run_id = ids.created('run');
  const stream = streamName('run', team, run_id);
  if (context.resumed) {
    const answered = await commands.answered(run, stream, context);
    if (answered?.life === 'present') return submitted(run_id, answered.items);
  }
  await checkProjectTakesWrites(commands, context, project_id);

  // The client's clock may be ahead of ours: no run ends before it starts.
  const finished_at = submission.finished_at ?? latest(started_at ?? at, at);
  const origin: BulkOrigin = {
    submission_id: run_id,
    run_id,
    project_id,
    finished_at,
    branch: textIn(metadata, 'branch'),
    commit: textIn(metadata, 'commit'),
    environment: environmentKeyIn(metadata),
  };
  const items = await appendItems(log, context, submission, origin);
  const command = {
    type: 'SubmitRun',
    run_id,
    project_id,
    ...runDescription(submission),
    items,
    item_counts: submission.counts,
    started_at,
    finished_at,
    report: submission.report ?? null,
  } as const;
  await commands.execute(run, stream, context, command, { newStream: true });
  return submitted(run_id, items);
}

function submitted(run_id: string, count: number): Submitted {
  return { run_id, made: true, repeated: false, status: 'Completed', count, submission_id: run_id };
}
