import type { RecordedEvent, StreamName } from '../../domain/event.js';
import type { EventLog } from '../ports.js';

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
