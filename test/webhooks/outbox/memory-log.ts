/** A log in memory: the streams of a given history, and the streams to which the projector appends. */
import type { EventLog } from '../../../src/ports/event-log.js';
import { fail } from '../../../src/errors.js';
import type { RecordedEvent } from '../../../src/domain/event.js';
import type { LedgerEvent, TestEvent } from '../../../src/domain/events.js';

export function openMemoryLog(events: readonly LedgerEvent[]) {
  const streams = new Map<string, RecordedEvent[]>();
  const own: LedgerEvent<TestEvent>[] = [];
  const of = (stream: string): RecordedEvent[] => {
    const known = streams.get(stream) ?? [];
    streams.set(stream, known);
    return known;
  };
  for (const event of events) of(event.stream).push(event);

  const readStream: EventLog['readStream'] = async (stream, { from = 0, limit = 1_000 } = {}) => {
    const left = of(stream).filter(({ revision }) => revision >= from);
    return { events: left.slice(0, limit), isEnd: left.length <= limit };
  };

  const append: EventLog['append'] = async (stream, expected, appended) => {
    const there = of(stream);
    const from = expected === 'none' ? 0 : Number(expected) + 1;
    const same = appended.every(({ id }, n) => there[from + n]?.id === id);
    const position = 'z';
    if (same) return { revision: from + appended.length - 1, position };
    if (there.length !== from) fail('wrong_revision', `${stream} is elsewhere`);
    appended.forEach((event, n) => {
      const recorded = { ...event, stream, revision: from + n, position } as LedgerEvent<TestEvent>;
      there.push(recorded);
      own.push(recorded);
    });
    return { revision: from + appended.length - 1, position };
  };

  return { readStream, append, appended: () => [...own] };
}
