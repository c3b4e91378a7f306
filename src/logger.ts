/** The program's log. */
import fs from 'node:fs';
import { pino, type Logger } from 'pino';
import { reasonOf } from './errors.js';

/** Written together: a system call for each request would cost too much. */
const LINES_CHARACTERS = 16_000;
const FLUSH_EVERY_MS = 500;

/** What may wait for the reader of the log. More is dropped: a reader that takes nothing would fill the memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** How long a flush waits for a reader of the log that takes nothing: the process must still end. */
export const FLUSH_WITHIN_MS = 1_000;

/**
 * Writes one JSON line for each entry, buffered. `flush` ends that, and writes what waits, for at most a second. What the
 * reader has not taken by then is lost.
 */
export function createLogger(
  level: string,
  file: number | string = process.stdout.fd,
  mostWaitingBytes = MOST_WAITING_BYTES,
): { logger: Logger; flush: () => Promise<void> } {
  const destination = pino.destination({
    dest: file,
    sync: false,
    minLength: LINES_CHARACTERS,
    maxLength: mostWaitingBytes,
  });
  const lines = joinedLines(destination);
  let dropped = 0;
  destination.on('drop', (text: string) => void (dropped += Buffer.byteLength(text)));
  const timer = setInterval(() => {
    lines.flush();
    reportDropped();
  }, FLUSH_EVERY_MS).unref();
  // As pino does for its own buffer: what is left at an exit is written. Before pino does it, which would never end.
  const flushAtExit = () => withoutRetries(lines.flushSync);
  process.prependOnceListener('exit', flushAtExit);
  const logger = pino({ level, serializers: { err: loggable } }, lines);

  function reportDropped(): void {
    if (dropped === 0) return;
    const bytes = dropped;
    dropped = 0;
    logger.error({ dropped_bytes: bytes }, 'lines of the log were dropped: its reader takes too few');
    lines.flush();
    // There was no room for this line either.
    if (dropped > 0) dropped += bytes;
  }

  return {
    logger,
    async flush() {
      clearInterval(timer);
      // A write may be under way in a thread. What is written here meanwhile could come to stand before it.
      const isWritten = await settled(lines.flush, FLUSH_WITHIN_MS);
      process.off('exit', flushAtExit);
      if (isWritten) {
        reportDropped();
        lines.flushSync();
      }
      // Another write would wait for the same reader, and pino would begin one at the exit.
      else destination.destroy();
    },
  };
}

/** Whether the callback of `begin` is called within the time, with an error or without. */
function settled(begin: (done: () => void) => void, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), ms);
    begin(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
}

/**
 * pino's destination begins a write again and again that fails, and has no limit for it: a process whose reader is gone, or
 * takes nothing, would never end, and would keep its port and its folder. So what cannot be written counts as written.
 */
function withoutRetries(work: () => void): void {
  const { writeSync } = fs;
  const until = performance.now() + FLUSH_WITHIN_MS;
  fs.writeSync = ((fd: number, bytes: string | Buffer) => {
    try {
      return writeSync(fd, bytes as string);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && performance.now() < until) throw error;
      return Buffer.byteLength(bytes);
    }
  }) as typeof writeSync;
  try {
    work();
  } finally {
    fs.writeSync = writeSync;
  }
}

type Destination = ReturnType<typeof pino.destination>;

/** Joins lines before it passes them on: pino's destination would measure each one, for longer than it took to make it. */
function joinedLines(destination: Destination): Pick<Destination, 'write' | 'flush' | 'flushSync'> {
  let lines = '';
  function pass(): void {
    if (lines !== '') destination.write(lines);
    lines = '';
  }
  return {
    write(line) {
      lines += line;
      if (lines.length >= LINES_CHARACTERS) pass();
      return true;
    },
    flush(callback) {
      pass();
      destination.flush(callback);
    },
    flushSync() {
      pass();
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
  return {
    type,
    message: reasonOf(error),
    stack,
    code,
    errors,
  };
}
