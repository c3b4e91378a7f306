/** The EventStoreDB log as the target of a copy. */
import type { RecordedEvent } from '../../domain/event.js';
import type { EventLog } from '../../ports/event-log.js';
import type { LogTarget } from '../../ports/log-target.js';

/**
 * One append after the other: of several under way, a later one could be stored although an earlier one failed, and the
 * order of the copy would be wrong. The server sets the time at which it `created` an event, which nothing here reads:
 * the time of an event is in its meta.
 */
export function esdbLogTarget(log: EventLog): LogTarget {
  return {
    log,
    async take(events) {
      for (const batch of batchesOf(events, log.limits)) {
        const { stream, revision } = batch[0]!;
        await log.append(stream, revision === 0 ? 'none' : revision - 1, batch);
      }
    },
    close: () => log.close(),
  };
}

/** Cuts at each change of the stream, and at the limits of one append. */
function* batchesOf(
  events: readonly RecordedEvent[],
  limits: EventLog['limits'],
): Generator<RecordedEvent[], void> {
  let batch: RecordedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event.data));
    const isFull = batch.length === limits.events || bytes + size > limits.bytes;
    if (batch.length > 0 && (isFull || batch[0]!.stream !== event.stream)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
