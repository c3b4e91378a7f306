import { AppError } from '../../src/errors.js';
import type { EventLog } from '../../src/ports/event-log.js';

/** A log with small appends that dies at one of them, counted from 1, before or after it is written. */
export function dyingLog(
  log: EventLog,
  { at, when, eventsPerAppend }: { at: number; when: 'before' | 'after'; eventsPerAppend: number },
): EventLog {
  let appends = 0;
  return {
    ...log,
    limits: { events: eventsPerAppend, bytes: 1_000_000 },
    async append(...append) {
      appends += 1;
      if (appends !== at) return log.append(...append);
      if (when === 'after') await log.append(...append);
      throw new AppError('log_unavailable', 'here the server dies');
    },
  };
}
