/** A log that measures how long each append took and how it ended. */
import { isAppError } from '../errors.js';
import type { EventLog } from '../ports/event-log.js';

export type AppendMeasure = (milliseconds: number, outcome: 'ok' | 'refused' | 'failed') => void;

export function measuredLog(log: EventLog, measure: AppendMeasure): EventLog {
  return {
    ...log,
    async append(stream, expected, events) {
      const began = performance.now();
      try {
        const appended = await log.append(stream, expected, events);
        measure(performance.now() - began, 'ok');
        return appended;
      } catch (error) {
        measure(performance.now() - began, isAppError(error, 'wrong_revision') ? 'refused' : 'failed');
        throw error;
      }
    },
  };
}
