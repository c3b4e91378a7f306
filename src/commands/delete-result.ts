/** Deletes a result. What it superseded counts again. */
import type { EventData } from '../domain/events.js';
import { streamName } from '../domain/event.js';
import { bulkOriginOf } from '../domain/ids.js';
import { mustBePresent } from '../domain/life.js';
import { result, type PresentResult, type Result, type ResultCommand } from '../domain/result.js';
import { attemptsOf } from '../domain/runs/run-calls.js';
import { run } from '../domain/runs/run.js';
import { streamNameOf } from '../domain/team-streams.js';
import { streamPages, type StreamReader } from '../log/streams.js';
import type { CommandContext, Ledger } from './ledger.js';
import { checkProjectTakesWrites } from './projects.js';

/** @throws LedgerError `not_found`, `project_inactive`. */
export async function deleteResult(
  ledger: Ledger,
  log: StreamReader,
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team } = context;
  const stream = streamNameOf('result', team, id);
  const command = async (state: Result): Promise<ResultCommand> => ({
    type: 'DeleteResult',
    replaces: state.life === 'present' ? await replacedLater(ledger, log, team, state) : [],
  });
  await ledger.execute(result, stream, context, command, {
    check: (before) => checkProjectTakesWrites(ledger, team, mustBePresent(before, 'result').project_id),
  });
}

/**
 * The results of lower attempts of its shard that came later than the result, and that it replaces. Its own events
 * cannot name them. Such attempts are rare, and so is a search.
 */
async function replacedLater(
  ledger: Ledger,
  log: StreamReader,
  team: string,
  { test_result_id: id, test_run_id }: PresentResult,
): Promise<string[]> {
  const origin = bulkOriginOf(id);
  if (origin === null || test_run_id === null) return [];
  const within = await ledger.load(run, streamName('run', team, test_run_id));
  if (within.life !== 'present') return [];
  const received = within.calls.shards?.received ?? [];
  const own = received.find(({ submission_id }) => submission_id === origin.submission_id);
  if (own === undefined) return [];
  const attempts = attemptsOf(within.calls, own.index);
  const later = attempts.slice(attempts.indexOf(own) + 1).filter(({ attempt }) => attempt < own.attempt);
  const replaced: string[] = [];
  for (const { submission_id } of later) {
    for await (const events of streamPages(log, streamName('items', team, submission_id))) {
      for (const { data } of events) {
        const { result_id, replaced_by } = data as EventData['ResultSubmitted'];
        if (replaced_by?.includes(id) === true) replaced.push(result_id);
      }
    }
  }
  return replaced;
}
