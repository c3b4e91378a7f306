/**
 * Records a whole run at once. Its items come first, into a stream that no reader looks at yet. One append to the run's
 * own stream then makes them count. After any crash, the submission is there as a whole or not at all.
 */
import { streamName, type EventMeta, type NewEvent, type StreamName } from '../domain/event.js';
import { currentVersion } from '../domain/event-versions.js';
import { latest } from '../domain/instant.js';
import { run, runDescription } from '../domain/run.js';
import { textIn } from '../domain/understood.js';
import { isLedgerError } from '../errors.js';
import type { CommandContext, Ledger } from './ledger.js';
import { checkProjectTakesWrites } from './projects.js';
import type { EventLog } from '../ports/event-log.js';
import type { BulkOrigin, Submission } from './submission.js';

export type Submitted = { run_id: string; count: number };

/** @throws LedgerError `not_found`, `project_inactive`, `log_unavailable`, `overloaded`. */
export async function submitRun(
  ledger: Ledger,
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
  context: CommandContext,
  submission: Submission,
): Promise<Submitted> {
  const { team, ids, at } = context;
  const { project_id, metadata, started_at } = submission;
  const run_id = ids.created('run');
  const stream = streamName('run', team, run_id);
  if (context.resumed) {
    const answered = await ledger.answered(run, stream, context);
    if (answered?.life === 'present') return { run_id, count: answered.items };
  }
  await checkProjectTakesWrites(ledger, team, project_id);

  // The client's clock may be ahead of ours: no run ends before it starts.
  const finished_at = submission.finished_at ?? latest(started_at ?? at, at);
  const origin: BulkOrigin = {
    run_id,
    project_id,
    finished_at,
    branch: textIn(metadata, 'branch'),
    commit: textIn(metadata, 'commit'),
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
  } as const;
  await ledger.execute(run, stream, context, command, { newStream: true });
  return { run_id, count: items };
}

/**
 * Returns the number of items. Every try of one request uses the same ids and revisions, so the log answers an append
 * of an earlier try as it did the first time.
 */
async function appendItems(
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
  { team, ids, at, actor, correlationId }: CommandContext,
  submission: Submission,
  origin: BulkOrigin,
): Promise<number> {
  const stream = streamName('items', team, origin.run_id);
  // One object for all events: the adapter of a log sees that it is the same, and writes it as JSON once.
  const meta: EventMeta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
  let count = 0;
  for await (const texts of submission.appends(origin, log.limits)) {
    const first = count;
    const eventIds = ids.events(stream, first, texts.length);
    const events = texts.map((json, n) => ({
      id: eventIds[n]!,
      type: 'ResultSubmitted',
      version: currentVersion('ResultSubmitted'),
      data: null,
      meta,
      json,
    }));
    await appendOnce(log, stream, first, events);
    count += texts.length;
  }
  return count;
}

/**
 * Appends the events whose first one has the revision `first`. An earlier try may have ended in the middle of them: the
 * limits of an append may have grown since, by an update of the program. Then the log refuses the append, and only the
 * rest is appended.
 * @throws LedgerError as the log; `wrong_revision` when the stream holds other events.
 */
async function appendOnce(
  log: Pick<EventLog, 'append' | 'readStream'>,
  stream: StreamName,
  first: number,
  events: readonly NewEvent[],
): Promise<void> {
  for (let stored = 0; stored < events.length;) {
    const next = first + stored;
    const rest = events.slice(stored);
    try {
      await log.append(stream, next === 0 ? 'none' : next - 1, rest);
      return;
    } catch (error) {
      if (!isLedgerError(error, 'wrong_revision')) throw error;
      const { events: found } = await log.readStream(stream, { from: next, limit: rest.length });
      const other = found.findIndex(({ id }, n) => id !== rest[n]?.id);
      if (found.length === 0 || other !== -1) throw error;
      stored += found.length;
    }
  }
}
