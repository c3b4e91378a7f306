/** A log whose events lack what was redacted in them (docs/decisions/045). */
import { maskEvent } from '../domain/redaction/mask-event.js';
import { parseStreamName, type RecordedEvent } from '../domain/event.js';
import type { EventLog } from '../ports/event-log.js';
import type { Hidden, Masks } from './masks.js';

/** Below all other wrappers but that of chunks: folds, commands, the replay and webhooks read the same. */
export function maskedLog(log: EventLog, masks: Pick<Masks, 'current'>): EventLog {
  let generation = 0;
  const masked = async (events: RecordedEvent[]): Promise<RecordedEvent[]> => {
    if (events.length === 0) return events;
    try {
      const hidden = await masks.current();
      return hidden.all.length === 0 ? events : events.map((event) => maskedBy(hidden, event));
    } catch (error) {
      // A start without State reads the keys of teams, and no more.
      if (events.every(({ stream }) => stream.startsWith('team-'))) return events;
      throw error;
    }
  };
  return {
    ...log,
    forgotten() {
      const hidden = masks.current();
      if (!(hidden instanceof Promise)) return (generation = hidden.generation);
      return hidden.then(
        (found) => (generation = found.generation),
        // State is away: nobody can have forgotten anything.
        () => generation,
      );
    },
    async readStream(stream, options) {
      const page = await log.readStream(stream, options);
      return { ...page, events: await masked(page.events) };
    },
    async readAll(options) {
      const batch = await log.readAll(options);
      return { ...batch, events: await masked(batch.events) };
    },
    async *follow(options) {
      for await (const batch of log.follow(options)) yield { ...batch, events: await masked(batch.events) };
    },
  };
}

function maskedBy(hidden: Hidden, event: RecordedEvent): RecordedEvent {
  const rules = hidden.of(parseStreamName(event.stream).team);
  return rules.length === 0 ? event : maskEvent(event, rules);
}
