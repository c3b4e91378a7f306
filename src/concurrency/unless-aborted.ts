import { waitForCallback } from './wait-for-callback.js';

/**
 * Waits for the promise, or until the abort. The work behind the promise goes on after an abort, and its fault is lost.
 * @returns null when the signal is aborted first. @throws what the promise rejects with
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const subscribe = (callback: () => void) => {
    promise.then(callback, callback);
    return () => undefined;
  };
  // Where the signal is aborted already, nothing else takes the fault.
  promise.catch(() => undefined);
  return (await waitForCallback(subscribe, { signal })) === 'aborted' ? null : promise;
}
