/** The runs of a page by what was pushed: those of one commit on one branch are one row, with one verdict. */
import { buildsOf } from '../../../domain/runs/branch-state.js';
import { groupedBy } from '../../../domain/grouped-by.js';
import { newestStarts } from '../../../domain/runs/newest-starts.js';
import { stateOf, type RunState } from '../../../domain/runs/run-state.js';
import type { Run, Runs } from './read-runs.js';

export type Push = {
  /** In the order of the page. */
  rows: Runs['rows'];
  /** The runs that say how it stands, as on the page of its commit: those of its newest build. */
  legs: readonly Run[];
  state: RunState;
};

/** A push stands where the first of its runs stands. A run without a commit is alone. */
export function pushesOf(rows: Runs['rows']): Push[] {
  const pushes = groupedBy(rows, ({ run: { id, commit, branch } }) =>
    JSON.stringify(commit === null ? [id] : [commit, branch]),
  );
  return [...pushes.values()].map((of) => {
    const runs = of.map(({ run }) => run).sort(newestFirst);
    const [newest = []] = buildsOf(runs) as Run[][];
    const legs = newestStarts(newest);
    return { rows: of, legs, state: worstOf(legs.map(stateOf)) };
  });
}

function newestFirst(one: Run, other: Run): number {
  return one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0;
}

/** A failure is the verdict, also while others go on; what passed hides none that said nothing. */
const worstFirst: readonly RunState[] = [
  'failed',
  'running',
  'pending',
  'unfinished',
  'empty',
  'passed',
  'skipped',
];

function worstOf(states: readonly RunState[]): RunState {
  return worstFirst.find((state) => states.includes(state))!;
}
