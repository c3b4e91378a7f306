/** How a branch stands, in one word: as its newest build does. It is passing only where all of that build is there and passed. */
import { newestStarts, type RunOfJob } from './newest-starts.js';
import { stateOf, type RunStanding } from './run-state.js';

export type BranchState =
  'passing' | 'failing' | 'running' | 'incomplete' | 'skipped' | 'empty' | 'unfinished' | 'no_runs';

export type BranchRun = RunOfJob &
  RunStanding & {
    standing_counts: { pending: number; running: number };
    build: string | null;
    commit: string | null;
    tool: string | null;
    gate: 'passed' | 'failed' | null;
    shards: { total: number; received: readonly { index: number }[] } | null;
    report: { partial: boolean; failures_unread: number };
    completed_by: 'requested' | 'shards' | 'idle' | null;
  };

/** `runs`: the newest first. `isAll`: the branch has no older ones. */
export function branchStateOf(runs: readonly BranchRun[], isAll: boolean): BranchState {
  const [newest, before] = buildsOf(runs);
  if (newest === undefined) return 'no_runs';
  const build = newestStarts(newest);
  if (build.some((run) => stateOf(run) === 'failed' || run.gate === 'failed')) return 'failing';
  if (build.some(({ status }) => status !== 'completed')) return 'running';
  // A build of which older runs were not read may have failed there.
  const isKnown = isAll || before !== undefined;
  const legs = new Set(build.map(legOf));
  const isMissing = before?.some((run) => !legs.has(legOf(run))) === true;
  if (!isKnown || isMissing || build.some(isCut)) return 'incomplete';
  const states = build.map(stateOf);
  if (states.includes('empty')) return 'empty';
  if (states.includes('unfinished')) return 'unfinished';
  return states.includes('passed') ? 'passing' : 'skipped';
}

/**
 * The runs of each build, and the build first that began last: one of which a job comes late, or runs again, is no newer for
 * it. `runs`: the newest first.
 */
export function buildsOf(runs: readonly BranchRun[]): BranchRun[][] {
  const builds: BranchRun[][] = [];
  for (const run of runs.toReversed()) {
    const known = builds.find(([one]) => isOfBuild(one!, run));
    if (known === undefined) builds.unshift([run]);
    else known.unshift(run);
  }
  return builds;
}

/** Runs without the name of a build are of one where they are of one commit. */
function isOfBuild(newest: BranchRun, { id, build, commit }: BranchRun): boolean {
  if (id === newest.id) return true;
  if (build !== null || newest.build !== null) return build === newest.build;
  return commit !== null && commit === newest.commit;
}

/** What the build before had, too: a job with its tool and environment. */
function legOf({ metadata, tool, environment_key }: BranchRun): string {
  return JSON.stringify([metadata?.['job'] ?? null, tool, environment_key]);
}

/** A shard has not come, a report could not be read whole, nobody ended the run, or a result never ended. */
function isCut({ shards, report, standing_counts, completed_by }: BranchRun): boolean {
  if (standing_counts.pending + standing_counts.running > 0 || completed_by === 'idle') return true;
  const indexes = new Set(shards?.received.map(({ index }) => index));
  return (shards !== null && indexes.size < shards.total) || report.partial || report.failures_unread > 0;
}
