/** A log in memory with a given history, as a feed of folds reads it. */
import { logPosition, START, type RecordedEvent } from '../../../src/domain/event.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { isChunk } from '../../../src/domain/runs/item-chunk.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { asChunks } from '../../domain/item-chunks.js';

/** `events`: in the order of the feed. */
export function logOf(events: readonly LedgerEvent[]): EventLog {
  const all: RecordedEvent[] = asChunks(events);
  const streams = new Map<string, RecordedEvent[]>();
  for (const event of all) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  const inLog = all.filter((event) => !isChunk(event));
  const log: Pick<EventLog, 'readStream' | 'readAll' | 'head'> = {
    async readStream(stream, { from = 0, limit = 1_000 } = {}) {
      const own = streams.get(stream) ?? [];
      const found = own.filter((event) => lastOf(event) >= from).slice(0, limit);
      return {
        events: found.map((event) => ({ ...event, revision: lastOf(event) })),
        isEnd: found.length < limit,
      };
    },
    async readAll({ after, inclusive = false, limit = 1_000, filter }) {
      const isAfter = ({ position }: RecordedEvent) => position > after || (inclusive && position === after);
      const isWanted = ({ stream }: RecordedEvent) =>
        filter?.streams?.some((prefix) => stream.startsWith(prefix)) !== false;
      const rest = inLog.filter(isAfter).slice(0, limit);
      const position = rest.at(-1)?.position ?? after;
      return { events: rest.filter(isWanted), position, caughtUp: rest.length < limit };
    },
    head: async () => logPosition(all.at(-1)?.position ?? START),
  };
  return log as EventLog;
}

function lastOf(event: RecordedEvent): number {
  return isChunk(event) ? event.data.first + event.data.count - 1 : event.revision;
}
