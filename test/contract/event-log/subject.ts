import type { EventLog } from '../../../src/ports/event-log.js';

export type OpenedLog = {
  log: EventLog;
  /** Closes the log and opens it again on the same events. */
  reopen(): Promise<EventLog>;
  /** Opens the log once more, beside the first opening: for reading, where the log has a single writer. */
  openBeside(): Promise<EventLog>;
  /** Closes the log that was opened last, and removes it. */
  close(): Promise<void>;
};

/** The log of the current test. */
export type Subject = { readonly log: EventLog; reopen(): Promise<void>; openBeside(): Promise<EventLog> };
