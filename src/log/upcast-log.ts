/** A log that returns every event in the current version of its type (docs/decisions/015). */
import { isAppError } from '../errors.js';
import { presentEvents, type Upcasting } from '../domain/event-versions.js';
import type { RecordedEvent } from '../domain/event.js';
import type { Batch, EventLog } from '../ports/event-log.js';

/**
 * Wraps a log as it was opened: all that read it need to know one version of each type. A page or a batch ends before an
 * event that this program does not know, so that everything before the event is still read.
 * @throws AppError `unknown_event` from a read that begins with such an event, and from each read of a stream with one.
 */
export function upcastLog(log: EventLog, upcasting: Upcasting = presentEvents): EventLog {
  return {
    ...log,
    async readStream(stream, options) {
      const page = await log.readStream(stream, options);
      return { ...page, events: page.events.map(upcasting.upcast) };
    },
    async readAll(options) {
      const { batch, fault } = upcastBatch(await log.readAll(options), upcasting);
      if (fault !== null && batch.events.length === 0) throw fault;
      return batch;
    },
    async *follow(options) {
      for await (const read of log.follow(options)) {
        const { batch, fault } = upcastBatch(read, upcasting);
        if (fault === null || batch.events.length > 0) yield batch;
        if (fault !== null) throw fault;
      }
    },
  };
}

/** The batch up to the first event that this program does not know, and the fault of that event. */
function upcastBatch(batch: Batch, { isCurrent, upcast }: Upcasting): { batch: Batch; fault: Error | null } {
  // Nearly every batch is current: it is passed on as it is.
  if (batch.events.every(isCurrent)) return { batch, fault: null };
  const events: RecordedEvent[] = [];
  for (const event of batch.events) {
    try {
      events.push(upcast(event));
    } catch (error) {
      if (!isAppError(error, 'unknown_event')) throw error;
      const position = events.at(-1)?.position ?? batch.position;
      return { batch: { events, position, caughtUp: false }, fault: error };
    }
  }
  return { batch: { ...batch, events }, fault: null };
}
