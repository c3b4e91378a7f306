/** Starts work in the background that one process leads, such as the rounds of the janitor. */
import { sleep } from '../concurrency/sleep.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { runAsLeader, type LeaderOptions } from './run-as-leader.js';

export type Leading = Pick<LeaderOptions, 'name' | 'state' | 'holder' | 'clock'> & {
  /** Receives every fault. The work that met the fault is tried again. */
  report: (error: unknown) => void;
};

const STOP_WITHIN_MS = 2_000;

/**
 * Works while this process leads. Returns the function that stops it: it waits for the work under way, but not for long. Where
 * storage hangs, the work is given up, as in a crash; the next leader does it.
 */
export function startLeading(
  { report, ...lease }: Leading,
  work: (ended: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stop = new AbortController();
  const running = runAsLeader({
    ...lease,
    signal: stop.signal,
    report: ({ error }) => report(error),
    work: (_lease, ended) => work(ended),
  });
  return async () => {
    stop.abort();
    await withTimeout(STOP_WITHIN_MS, running, () => undefined);
  };
}

/** Does a round every `everyMs` while this process leads. `open`: makes the rounds of one time of leading. Stops as `startLeading`. */
export function startRounds(
  leading: Leading,
  everyMs: number,
  open: () => (ended: AbortSignal) => Promise<void>,
): () => Promise<void> {
  return startLeading(leading, async (ended) => {
    const round = open();
    for (;;) {
      // Before the first round too: reading the history must not slow down a start.
      await sleep(everyMs, ended);
      if (ended.aborted) return;
      await round(ended).catch(leading.report);
    }
  });
}
