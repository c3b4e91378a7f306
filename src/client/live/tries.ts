/** Repeats a request while the tests run, and hurries once they have ended. */
// Tests replace the global ones, and a test that fails may not put them back.
import { clearTimeout, setTimeout } from 'node:timers';

export type Timing = {
  /** A batch goes after this time, or earlier when it is full. */
  batchMs: number;
  /** At the end of the tests, everything that waits has this long in all. */
  exitMs: number;
  /** The first pause after a request that failed. Each is twice as long as the one before it. */
  firstPauseMs: number;
  longestPauseMs: number;
};

export type Outcome<T> =
  | { kind: 'done'; value: T }
  /** The server answered that the request is wrong: a repeat would change nothing. */
  | { kind: 'refused'; error: Refusal }
  /** The time is over, or the server was not there at the end. */
  | { kind: 'gave_up'; reason: string };

export type Refusal = { code: string; message: string; fields: readonly { pointer: string }[] };

export type Tries = {
  untilAnswered<T>(request: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>>;
  /** Begins the time of the exit. */
  hurry(): void;
  /** Frees the timer of the exit. */
  close(): void;
};

/** A server that is not there is asked this often at the end: it may just be starting again. */
const LAST_TRIES = 2;

export function openTries({ exitMs, firstPauseMs, longestPauseMs }: Timing): Tries {
  const ending = new AbortController();
  let hurrying = false;
  let deadline: NodeJS.Timeout | undefined;
  const wakers = new Set<() => void>();
  let lastReason = 'the server did not answer in time';

  /** Does not hold the process while the tests run: a process that ends without `finish` must not wait. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        wakers.delete(wake);
        ending.signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      if (!hurrying) {
        timer.unref();
        wakers.add(wake);
      }
      ending.signal.addEventListener('abort', wake, { once: true });
    });
  }

  return {
    async untilAnswered(request) {
      let pauseMs = firstPauseMs;
      for (let lastTries = 0; ;) {
        if (ending.signal.aborted) return { kind: 'gave_up', reason: lastReason };
        const wasHurrying = hurrying;
        try {
          return { kind: 'done', value: await request(ending.signal) };
        } catch (error) {
          if (ending.signal.aborted) return { kind: 'gave_up', reason: lastReason };
          const failure = failureOf(error);
          if (!failure.isPassing) return { kind: 'refused', error: failure };
          lastReason = failure.message;
          if (wasHurrying && failure.code === 'unreachable') lastTries += 1;
          if (lastTries >= LAST_TRIES) return { kind: 'gave_up', reason: lastReason };
          const longest = hurrying ? 2 * firstPauseMs : longestPauseMs;
          await pause(Math.min(Math.max(pauseMs, failure.retryAfterMs), longest));
          pauseMs *= 2;
        }
      }
    },
    hurry() {
      hurrying = true;
      deadline ??= setTimeout(() => ending.abort(), exitMs);
      for (const wake of wakers) wake();
    },
    close: () => clearTimeout(deadline),
  };
}

type Failure = Refusal & { isPassing: boolean; retryAfterMs: number };

const passingCodes = new Set(['unreachable', 'timeout', 'in_flight']);

/** Reads a `TestledgerError`. Any other error, such as that of a file, is a refusal. */
function failureOf(error: unknown): Failure {
  const { code, status, message, fields, retryAfterMs } = error as Partial<
    Refusal & { status: number | null; retryAfterMs: number | null }
  >;
  return {
    code: code ?? 'fault',
    message: message ?? String(error),
    fields: fields ?? [],
    retryAfterMs: retryAfterMs ?? 0,
    isPassing: passingCodes.has(code ?? '') || status === 408 || status === 429 || (status ?? 0) >= 500,
  };
}
