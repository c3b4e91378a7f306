/** The program's log. */
import { pino, type Logger } from 'pino';

/** One JSON line for each event of the log; buffered, since a line a request must not cost a system call each. */
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

/** Without what libraries hang on their errors: one of them is the connection string, with its password. */
function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // The cause's message and stack are in these already.
  const { type, message, stack } = pino.stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  const errors = error instanceof AggregateError ? error.errors.map(loggable) : undefined;
  return { type, message, stack, code, errors };
}
