/** Trying again, up to a limit of ours: the client's own limits do not hold while a server is frozen or away. */
import { setTimeout as pause } from 'node:timers/promises';
import { isLedgerError } from '../errors.js';
import { meaningOf, toLedgerError } from './log.esdb.errors.js';

/** In which every call settles, one way or the other. */
export const CALL_LIMIT_MS = 5_000;
/** One try. More than the 2 s after which the server says that an append is still being written. */
export const TRY_LIMIT_MS = 2_500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 800;

/**
 * Tries until it goes well, is refused, or the limit has passed.
 * @param call one try, within so many milliseconds
 * @throws LedgerError or Error, in the port's words
 */
export async function retrying<T>(
  what: string,
  call: (limitMs: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + CALL_LIMIT_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      return await call(Math.min(TRY_LIMIT_MS, end - performance.now()));
    } catch (error) {
      const hopeless = isLedgerError(error) || meaningOf(error) !== 'away' || signal?.aborted === true;
      if (hopeless || performance.now() + wait >= end) throw toLedgerError(error, what);
      await pause(wait);
    }
  }
}
