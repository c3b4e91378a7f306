/**
 * How a branch stands, in one word: as its newest build does. It is passing only where all of that build is there and passed,
 * each leg included that a build of the last days had: one that died again and again must not be forgotten with the last build
 * that it was in.
 */
import { addMilliseconds } from '../../clock.js';
import type { Instant } from '../event.js';
import { earliest } from '../instant.js';
import { newestStarts, type RunOfJob } from './newest-starts.js';
import { stateOf, type RunStanding } from './run-state.js';

export type BranchState =
  'passing' | 'failing' | 'running' | 'incomplete' | 'skipped' | 'empty' | 'unfinished' | 'no_runs';

export type BranchRun = RunOfJob &
  RunStanding & {
    standing_counts: { pending: number; running: number };
    created_at: Instant;
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
  const [newest, ...before] = buildsOf(runs);
  if (newest === undefined) return 'no_runs';
  const build = newestStarts(newest);
  if (build.some((run) => stateOf(run) === 'failed' || run.gate === 'failed')) return 'failing';
  if (build.some(({ status }) => status !== 'completed')) return 'running';
  // A build of which older runs were not read may have failed there.
  const isKnown = isAll || before.length > 0;
  const legs = new Set(build.map(legOf));
  const since = expectedSince(newest);
  const isMissing = before.flat().some((run) => run.created_at >= since && !legs.has(legOf(run)));
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

const EXPECTED_MS = 7 * 86_400_000;

/** Of the runs since then, the newest build should have every leg. */
export function expectedSince(newest: readonly BranchRun[]): Instant {
  const began = newest.reduce((first, { created_at }) => earliest(first, created_at)!, newest[0]!.created_at);
  return addMilliseconds(began, -EXPECTED_MS);
}

/** What another build has, too: a job with its tool and environment. */
export function legOf({ metadata, build, tool, environment_key }: BranchRun): string {
  const job = metadata?.['job'];
  return JSON.stringify([typeof job === 'string' ? nameOfJob(job, build) : null, tool, environment_key]);
}

const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/**
 * Without what no other build has: clients put the build before the name of the job, and some services name a step by an id of
 * its own. Under a build with another name (`TESTLEDGER_BUILD`), any number may be that of the build.
 */
function nameOfJob(job: string, build: string | null): string {
  const name = job.replaceAll(ID, '#');
  const prefix = build === null ? '' : `${build.replace(/ attempt \d+$/, '').replaceAll(ID, '#')} `;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name.replaceAll(/\d+/g, '#');
}

/** A shard has not come, a report could not be read whole, nobody ended the run, or a result never ended. */
function isCut({ shards, report, standing_counts, completed_by }: BranchRun): boolean {
  if (standing_counts.pending + standing_counts.running > 0 || completed_by === 'idle') return true;
  const indexes = new Set(shards?.received.map(({ index }) => index));
  return (shards !== null && indexes.size < shards.total) || report.partial || report.failures_unread > 0;
}
