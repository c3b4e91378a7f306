/**
 * Recording a whole run at once: its items first, in a stream that nobody reads, then the one append to the run's own
 * stream that makes them true. Whatever crashes, a submission is there wholly or not at all.
 */
import { streamName, type EventMeta } from '../domain/event.js';
import { currentVersion } from '../domain/event-versions.js';
import { latest } from '../domain/instant.js';
import { mustTakeWrites, project } from '../domain/project.js';
import { run, textFromMetadata } from '../domain/run.js';
import type { CommandContext, Ledger } from './ledger.js';
import type { EventLog } from '../ports/event-log.js';
import { nameOf } from '../domain/team-streams.js';
import type { BulkOrigin, Submission } from './submission.js';

export type Submitted = { run_id: string; count: number };

/** @throws LedgerError `not_found`, `project_inactive`, `log_unavailable`, `overloaded`. */
export async function submitRun(
  ledger: Ledger,
  log: Pick<EventLog, 'append' | 'limits'>,
  context: CommandContext,
  submission: Submission,
): Promise<Submitted> {
  const { team, ids, at } = context;
  const { project_id, label, metadata, started_at, finished_at } = submission;
  const run_id = ids.created('run');
  const stream = streamName('run', team, run_id);
  if (context.resumed) {
    const answered = await ledger.answered(run, stream, context);
    if (answered?.exists) return { run_id, count: answered.items };
  }
  mustTakeWrites(await ledger.load(project, nameOf('project', team, project_id)));

  const born: BulkOrigin = {
    run_id,
    project_id,
    // A client's clock may be fast: no run is over before it began.
    finished_at: finished_at ?? latest(started_at ?? at, at),
    branch: textFromMetadata(metadata, 'branch'),
    commit: textFromMetadata(metadata, 'commit'),
  };
  const items = await appendItems(log, context, submission, born);
  const { finished_at: ended } = born;
  const told = { run_id, project_id, label, metadata, items, item_counts: submission.counts, started_at };
  const command = { type: 'SubmitRun', ...told, finished_at: ended } as const;
  await ledger.execute(run, stream, context, command, { fresh: true });
  return { run_id, count: items };
}

/**
 * Answers how many. Ids, cuts and revisions are the same at every try of one request, so what an earlier try has
 * appended is answered as then.
 */
async function appendItems(
  log: Pick<EventLog, 'append' | 'limits'>,
  { team, ids, at, actor, correlationId }: CommandContext,
  submission: Submission,
  born: BulkOrigin,
): Promise<number> {
  const stream = streamName('items', team, born.run_id);
  // One for all: whoever writes it as JSON can see that it is the same.
  const meta: EventMeta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
  let count = 0;
  for await (const texts of submission.appends(born, log.limits)) {
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
    await log.append(stream, first === 0 ? 'none' : first - 1, events);
    count += texts.length;
  }
  return count;
}
