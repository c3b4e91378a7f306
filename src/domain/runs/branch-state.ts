/** How a branch stands, in one word: as its newest build does. It is passing only where all of that build is there and passed. */
import { newestStarts, type RunOfJob } from './newest-starts.js';
import { stateOf, type RunStanding } from './run-state.js';

export type BranchState =
  'passing' | 'failing' | 'running' | 'incomplete' | 'skipped' | 'empty' | 'unfinished' | 'no_runs';

export type BranchRun = RunOfJob &
  RunStanding & {
    build: string | null;
    commit: string | null;
    tool: string | null;
    gate: 'passed' | 'failed' | null;
    shards: { total: number; received: readonly { index: number }[] } | null;
    report: { partial: boolean; failures_unread: number };
  };

/** `runs`: the newest first. `isAll`: the branch has no older ones. */
export function branchStateOf(runs: readonly BranchRun[], isAll: boolean): BranchState {
  const [newest] = runs;
  if (newest === undefined) return 'no_runs';
  const build = newestStarts(runs.filter((run) => isOfBuild(newest, run)));
  if (build.some((run) => stateOf(run) === 'failed' || run.gate === 'failed')) return 'failing';
  if (build.some(({ status }) => status !== 'completed')) return 'running';
  const before = runs.find((run) => !isOfBuild(newest, run));
  // A build of which older runs were not read may have failed there.
  const isKnown = isAll || before !== undefined;
  const legs = new Set(build.map(legOf));
  const former = before === undefined ? [] : runs.filter((run) => isOfBuild(before, run));
  const isMissing = former.some((run) => !legs.has(legOf(run)));
  if (!isKnown || isMissing || build.some(isCut)) return 'incomplete';
  const states = build.map(stateOf);
  if (states.includes('empty')) return 'empty';
  if (states.includes('unfinished')) return 'unfinished';
  return states.includes('passed') ? 'passing' : 'skipped';
}

/** Runs without the name of a build are of one where they are of one commit. */
export function isOfBuild(newest: BranchRun, { id, build, commit }: BranchRun): boolean {
  if (id === newest.id) return true;
  if (build !== null || newest.build !== null) return build === newest.build;
  return commit !== null && commit === newest.commit;
}

/** What the build before had, too: a job with its tool and environment. */
function legOf({ metadata, tool, environment_key }: BranchRun): string {
  return JSON.stringify([metadata?.['job'] ?? null, tool, environment_key]);
}

/** A shard has not come, or a report could not be read whole. */
function isCut({ shards, report }: BranchRun): boolean {
  const indexes = new Set(shards?.received.map(({ index }) => index));
  return (shards !== null && indexes.size < shards.total) || report.partial || report.failures_unread > 0;
}
