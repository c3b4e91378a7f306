import type { RecordedEvent, StreamName } from '../../domain/event.js';
import { readBulkOrigin } from '../../log/bulk-origin.js';
import type { EventLog } from '../../ports/event-log.js';

const PAGE = 1_000;

/** All events of a stream, oldest first. */
export async function wholeStream(
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const from = (events.at(-1)?.revision ?? -1) + 1;
    const page = await log.readStream(stream, { from, limit: PAGE });
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}

/** Of a result's: those of its stream that count, after the one that it was born with elsewhere. */
export async function wholeResult(
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
  counts: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent[]> {
  const [birth, own] = await Promise.all([readBulkOrigin(log, stream), wholeStream(log, stream)]);
  return [...(birth === null ? [] : [birth]), ...own.filter(counts)];
}
