/** The port of a log that receives the events of another log. `test/cli/copy-log.process.ts` and `test/stack/copy-log.stack.ts` test its promises. */
import type { RecordedEvent } from '../domain/event.js';
import type { EventLog } from './event-log.js';

export type LogTarget = {
  /** Reads what is stored already. */
  readonly log: Pick<EventLog, 'readAll' | 'head'>;
  /**
   * Stores events in this order, each at its revision, with its id, type, version, meta (which has its time) and data. The
   * position is a new one of this log. When the call fails, or the process is killed in it, the events that are stored
   * are a beginning of these events. So a copy that ended early goes on behind its last event.
   * @throws AppError `wrong_revision` where a stream is at another revision; `log_unavailable`, `payload_too_large`.
   */
  take(events: readonly RecordedEvent[]): Promise<void>;
  close(): Promise<void>;
};
