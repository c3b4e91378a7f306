/** The exit code of `testledger run`, from that of the wrapped command and from the gate. It is pure. */
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
