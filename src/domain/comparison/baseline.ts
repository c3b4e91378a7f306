/** Which run another one is compared with: the newest that is fit, so that a broken run makes nothing look new or removed. */
import type { Position } from '../event.js';

/** What a person said of a run as a baseline. */
const baselineWords = ['fit', 'unfit'] as const;
export type BaselineWord = (typeof baselineWords)[number];

/** A completed run, as it is now. */
export type CompletedRun = {
  id: string;
  created: Position;
  /** Its tests in each environment that ran. */
  tests: number;
  /** A shard is missing, a report is not whole, or it ended because nothing came any more. */
  incomplete?: true;
  word?: BaselineWord;
};

/** In the order in which they are named. */
const unfitReasons = ['set_aside', 'empty', 'incomplete', 'too_small'] as const;
export type UnfitReason = (typeof unfitReasons)[number];

/** The newer runs that were passed over as unfit, with the reason of the newest. */
export type PassedOver = { runs: number; reason: UnfitReason };

/** The runs whose tests say how many a run should have. */
const RUNS_BEFORE = 10;

/** `before`: the completed runs of the same branch, tool and environment, those that were created last first. */
function unfitReason(run: CompletedRun, before: readonly CompletedRun[]): UnfitReason | null {
  const { word, tests, incomplete } = run;
  if (word !== undefined) return word === 'unfit' ? 'set_aside' : null;
  if (tests === 0) return 'empty';
  if (incomplete === true) return 'incomplete';
  const largest = Math.max(0, ...before.slice(0, RUNS_BEFORE).map((other) => other.tests));
  return 2 * tests < largest ? 'too_small' : null;
}

/** The newest fit run that was created before a position. `completed`: those that were created last first. */
export function fitRun(
  completed: readonly CompletedRun[],
  position: Position,
): { id: string | null; passed_over: PassedOver | null } {
  let runs = 0;
  let first: UnfitReason | null = null;
  for (const [n, run] of completed.entries()) {
    if (run.created >= position) continue;
    const reason = unfitReason(run, completed.slice(n + 1, n + 1 + RUNS_BEFORE));
    if (reason === null) return { id: run.id, passed_over: passedOver(runs, first) };
    runs += 1;
    first ??= reason;
  }
  return { id: null, passed_over: passedOver(runs, first) };
}

function passedOver(runs: number, reason: UnfitReason | null): PassedOver | null {
  return reason === null ? null : { runs, reason };
}
