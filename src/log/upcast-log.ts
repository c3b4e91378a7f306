/** A log that returns every event in the current version of its type (docs/decisions/015). */
import { upcast } from '../domain/event-versions.js';
import type { Batch, EventLog } from '../ports/event-log.js';

/**
 * Wraps a log as it was opened: its readers need to know one version of each type.
 * @throws LedgerError `unknown_event` from each kind of read.
 */
export function upcastLog(log: EventLog): EventLog {
  return {
    ...log,
    readStream: async (stream, options) => (await log.readStream(stream, options)).map(upcast),
    readAll: async (options) => upcastBatch(await log.readAll(options)),
    async *follow(options) {
      for await (const batch of log.follow(options)) yield upcastBatch(batch);
    },
  };
}

function upcastBatch(batch: Batch): Batch {
  return { ...batch, events: batch.events.map(upcast) };
}
