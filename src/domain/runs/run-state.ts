/** The state of a run in one word, for people: the pages and the command line say the same. */

/** `empty`: completed without results. `unfinished`: completed, and no result has a final status. */
export type RunState = 'passed' | 'failed' | 'skipped' | 'running' | 'pending' | 'empty' | 'unfinished';

/** The fields of a run of Surface B that tell its state. `standing_counts` leaves superseded results out. */
export type RunStanding = {
  status: 'pending' | 'running' | 'completed';
  outcome: 'passed' | 'failed' | 'skipped' | null;
  standing_counts: { total: number };
};

/** A run that is going is failed as soon as a result fails: its status stands beside it. */
export function stateOf({ status, outcome, standing_counts }: RunStanding): RunState {
  if (outcome === 'failed') return outcome;
  if (status !== 'completed') return status;
  return outcome ?? (standing_counts.total === 0 ? 'empty' : 'unfinished');
}
