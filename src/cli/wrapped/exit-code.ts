/** What the end of a wrapped command says: of its results, and, with the gate, the exit code of `testledger run`. It is pure. */
import type { ChildEnd } from './child.js';

export type Gated = {
  passes: boolean;
  /** Tests whose last attempt failed, among those that were imported. */
  failed: number;
  /** Whether every report was whole. */
  isWhole: boolean;
};

/**
 * The gate forgives a command only where its failures explain its exit code: it ended by itself, with 1 or with the number
 * of its failures, and failures were imported from whole reports. Any other code may be a crash that no report shows.
 */
export function exitCodeOf(child: ChildEnd, { passes, failed, isWhole }: Gated): number {
  if (child.code === 0) return passes ? 0 : 1;
  const isExplained =
    !child.wasKilled && isWhole && failed > 0 && (child.code === 1 || child.code === Math.min(failed, 255));
  return passes && isExplained ? 0 : child.code;
}

/**
 * Whether the command ended as if it had not come to its end: by a signal, or badly without a failure. Its results may all
 * have passed, and others may be missing, so the run must not be green. `failed`: as of `Gated`.
 */
export function brokeOff({ code, wasKilled }: ChildEnd, failed: number): boolean {
  // A shell gives 128 and the number of the signal; some tools give the number of their failures.
  const isSignal = code > 128 && code !== Math.min(failed, 255);
  return wasKilled || isSignal || (code !== 0 && failed === 0);
}
