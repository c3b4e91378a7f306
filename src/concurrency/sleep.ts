import { setTimeout as pause } from 'node:timers/promises';

/** Waits so long, or until the signal. Keeps no thread alive. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal, ref: false }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
