/** The program's log. */
import { pino, type Logger } from 'pino';
import { reasonOf } from './errors.js';

/** Writes one JSON line for each entry. Lines are buffered, because a system call for each request would cost too much. */
export function createLogger(level: string): { logger: Logger; flush: () => void } {
  const destination = pino.destination({ sync: false, minLength: 16_000 });
  const timer = setInterval(() => destination.flush(), 500).unref();
  const logger = pino({ level, serializers: { err: loggable } }, destination);
  return {
    logger,
    flush() {
      clearInterval(timer);
      destination.flushSync();
    },
  };
}

/** Drops the fields that libraries add to their errors: one of them is the connection string, with its password. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The stack includes that of the cause.
  const { type, stack } = pino.stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  const errors = error instanceof AggregateError ? error.errors.map(loggable) : undefined;
  return { type, message: reasonOf(error), stack, code, errors };
}
