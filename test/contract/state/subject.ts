/** The subject of the suite. */
import type { State } from '../../../src/ports/state.js';

/** The store of the current test. */
export type StateUnderTest = {
  /** Two openings of the same store. */
  readonly state: State;
  readonly other: State;
  /** Moves the clock of both. */
  setNow(now: string): void;
  /** Closes both and opens them again. */
  reopen(): Promise<void>;
};

/** The n-th second of the suite's time. */
export function instant(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
}
