/** The strip of a test: like runs, which are those of one branch, tool and environment, with one cell for each, however many attempts it had. */
import type { components } from '../../../client/api.generated.js';
import type { LikeRuns } from '../../parts/lists/strip.js';
import type { Outcome } from '../result/load.js';

type Run = Pick<components['schemas']['TestRun'], 'id' | 'branch' | 'tool' | 'environment_key'>;

/** `last`: the last attempt in the run; null where the test did not run. */
export type StripRun = {
  run_id: string | null;
  last: Outcome | null;
  word: Outcome['status'] | 'flaky' | 'without it';
};

/** `runs`: the newest first. */
export type TestStrip = { like: LikeRuns; runs: readonly StripRun[] };

/**
 * `outcomes` and `runs`: newest first. `runs` are the newest ones of the branch. The environment is that of the newest outcome,
 * the tool that of its run. A result may have an environment of its own, beside others of its run. Where that run is not among `runs`, neither its tool is known nor which runs lack the test: then the
 * strip has the runs with outcomes alone.
 */
export function stripOf(
  outcomes: readonly Outcome[],
  runs: readonly Run[],
  branch: string | null,
): TestStrip {
  const onBranch = outcomes.filter((outcome) => outcome.branch === branch);
  const { environment_key = '', test_run_id: newest = null } = onBranch[0] ?? {};
  const found = byRun(onBranch.filter((outcome) => outcome.environment_key === environment_key));
  const own = runs.find(({ id }) => id === newest);
  const like: LikeRuns = { branch, tool: own?.tool ?? null, environment_key };
  if (own === undefined) return { like, runs: [...found.values()] };
  const likeIt = runs.filter(
    (run) => run.branch === branch && run.tool === own.tool && run.environment_key === own.environment_key,
  );
  const shown = likeIt.map(
    ({ id }) => found.get(id) ?? { run_id: id, last: null, word: 'without it' as const },
  );
  // Of runs before the oldest outcome it is not known whether the test ran.
  const oldest = shown.findLastIndex(({ last }) => last !== null);
  return { like, runs: shown.slice(0, oldest + 1) };
}

/** The outcome of each run: that of the last attempt. A result without a run stands for itself. */
function byRun(outcomes: readonly Outcome[]): Map<string, StripRun> {
  const found = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = outcome.test_run_id ?? outcome.result_id;
    found.set(key, [...(found.get(key) ?? []), outcome]);
  }
  return new Map([...found].map(([key, attempts]) => [key, runOf(attempts)]));
}

function runOf(attempts: readonly Outcome[]): StripRun {
  const last = attempts.reduce((one, other) => (isLater(other, one) ? other : one));
  const isFlaky = last.status === 'passed' && attempts.some(({ status }) => status === 'failed');
  return { run_id: last.test_run_id, last, word: isFlaky ? 'flaky' : last.status };
}

/** An attempt may arrive late, and one that another supersedes is not the last. */
function isLater(one: Outcome, other: Outcome): boolean {
  const isStanding = (outcome: Outcome) => outcome.superseded_by === null;
  if (isStanding(one) !== isStanding(other)) return isStanding(one);
  return one.attempt > other.attempt;
}
