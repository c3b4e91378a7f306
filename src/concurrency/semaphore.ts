/** So many at a time in this process, in the order in which they came. */
import { Semaphore } from 'async-mutex';

/** Waits for a turn; answers what ends it, or null where it was aborted before. */
export type AcquirePermit = (signal: AbortSignal) => Promise<(() => void) | null>;

export function openSemaphore(atOnce: number): AcquirePermit {
  const semaphore = new Semaphore(atOnce);
  return async (signal) => {
    const turn = semaphore.acquire().then(([, release]) => release);
    let abort = () => {};
    const aborted = new Promise<null>((resolve) => {
      abort = () => resolve(null);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    });
    const release = await Promise.race([aborted, turn]);
    signal.removeEventListener('abort', abort);
    // It comes all the same, and is the next one's.
    if (release === null) void turn.then((unused) => unused());
    return release;
  };
}
