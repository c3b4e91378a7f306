import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a time, or until the abort, without an error. Keeps no process running. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal, ref: false }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
