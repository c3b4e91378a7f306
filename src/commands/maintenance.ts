/** The rounds of maintenance: each completes idle runs, ends known failures and purges expired entries of State. */
import { instant, addMilliseconds } from '../clock.js';
import { completeIdleRuns, type IdleRunsOptions } from './idle-runs.js';
import { expireKnownFailures, type ExpiryOptions } from './known-failures.js';
import type { State } from '../ports/state.js';

export type MaintenanceOptions = IdleRunsOptions &
  ExpiryOptions & {
    state: State;
    /** Milliseconds after which a run is idle. */
    runIdle: number | 'off';
    report: (error: unknown) => void;
  };

const AT_LEAST_EVERY_MS = 10_000;
const AT_MOST_EVERY_MS = 1_000;
const PURGED_AT_ONCE = 100;

/**
 * Starts a round every 10 s, or more often if runs become idle sooner. Returns a function that stops the rounds and
 * waits for the last one. A fault is reported, and the next round tries again.
 */
export function startMaintenance(options: MaintenanceOptions): () => Promise<void> {
  const { runIdle, report } = options;
  const wanted = runIdle === 'off' ? AT_LEAST_EVERY_MS : Math.min(runIdle, AT_LEAST_EVERY_MS);
  const stop = new AbortController();
  let round: Promise<void> | null = null;
  const timer = setInterval(
    () => {
      // A new round does not start while the last one still runs.
      round ??= runRound(options, stop.signal)
        .catch(report)
        .finally(() => (round = null));
    },
    Math.max(wanted, AT_MOST_EVERY_MS),
  ).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await round;
  };
}

async function runRound(options: MaintenanceOptions, signal: AbortSignal): Promise<void> {
  const { state, clock, runIdle, report } = options;
  // The views of the history may be away alone, for example while they are rebuilt.
  await expireKnownFailures(options, signal, report).catch(report);
  if (runIdle !== 'off') {
    await completeIdleRuns(options, addMilliseconds(instant(clock), -runIdle), signal, report);
  }
  await purgeExpired(state, instant(clock), signal);
}

async function purgeExpired(state: State, now: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const purged = await state.purge(now, PURGED_AT_ONCE);
    if (purged < PURGED_AT_ONCE) return;
  }
}
