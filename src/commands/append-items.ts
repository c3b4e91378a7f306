/** Appends the items of a submission to a stream of their own. No reader looks at it until the run names the submission. */
import { streamName, type EventMeta, type NewEvent, type StreamName } from '../domain/event.js';
import { eventVersions } from '../domain/events.js';
import { isLedgerError } from '../errors.js';
import type { CommandContext } from './ledger.js';
import type { EventLog } from '../ports/event-log.js';
import type { BulkOrigin, Submission } from './submission.js';

/**
 * Appends the items of a submission, and returns their number. Every try of one request uses the same ids and revisions,
 * so the log answers an append of an earlier try as it did the first time.
 */
export async function appendItems(
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
  { team, ids, at, actor, correlationId }: CommandContext,
  submission: Submission,
  origin: BulkOrigin,
): Promise<number> {
  const stream = streamName('items', team, origin.submission_id);
  // One object for all events: the adapter of a log sees that it is the same, and writes it as JSON once.
  const meta: EventMeta = { team_id: team, actor, at, correlation_id: correlationId, causation_id: null };
  let count = 0;
  for await (const texts of submission.appends(origin, log.limits)) {
    const first = count;
    const eventIds = ids.events(stream, first, texts.length);
    const events = texts.map((json, n) => ({
      id: eventIds[n]!,
      type: 'ResultSubmitted',
      version: eventVersions.ResultSubmitted,
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
