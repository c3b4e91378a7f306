/** Trying again, up to a limit of ours: the client's own limits do not hold while a server is frozen or away. */
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '../../concurrency/back-off.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { isLedgerError } from '../../errors.js';
import { meaningOf, toLedgerError } from './errors.js';

/** In which every call settles, one way or the other. */
const CALL_LIMIT_MS = 5_000;
/** One try. More than the 2 s after which the server says that an append is still being written. */
export const TRY_LIMIT_MS = 2_500;
const LEAST_TRY_MS = 500;
const BACK_OFF = { firstMs: 50, longestMs: 800 };

/** When a call that begins now has to be over, by `performance.now()`. */
export function callEnd(): number {
  return performance.now() + CALL_LIMIT_MS;
}

/**
 * Tries until it goes well, is refused, or the limit has passed.
 * @param call one try, within so many milliseconds; there is one at least
 * @throws LedgerError or Error, in the port's words
 */
export async function retrying<T>(
  what: string,
  call: (limitMs: number) => Promise<T>,
  { signal, end = callEnd() }: { signal?: AbortSignal | undefined; end?: number } = {},
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call(Math.max(LEAST_TRY_MS, Math.min(TRY_LIMIT_MS, end - performance.now())));
    } catch (error) {
      const hopeless = isLedgerError(error) || meaningOf(error) !== 'away' || signal?.aborted === true;
      const wait = backOffMs(failures, BACK_OFF);
      if (hopeless || performance.now() + wait >= end) throw toLedgerError(error, what);
      await pause(wait);
    }
  }
}

/** @throws Error when the promise has not settled within the limit. */
export function inTime<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return withTimeout(limitMs, promise, (): never => {
    throw new Error(`no answer within ${Math.round(limitMs)} ms`);
  });
}
