/** Finds the runs of a build, and waits until all of them can be judged. */
import { setTimeout as pause } from 'node:timers/promises';
import { isOfJob, newestStarts, type RunOfJob } from '../../domain/runs/newest-starts.js';
import type { Client } from '../../client/index.js';
import { answered } from './answered.js';
import { mayBeOutdated, type Starts } from './earlier-starts.js';

export type BuildWanted = {
  project: string;
  build: string;
  /** The earlier starts of the build, the newest first: a job that is not started again has its run there. */
  earlierBuilds: readonly string[];
  /** Says which runs of earlier starts count; null: all of them. */
  starts: Starts | null;
  /** The number of runs that must be there at least. */
  expected: number;
};

/**
 * `isCurrent`: the list of runs shows all that has come. In an older one a run may be missing, which must not be taken for green.
 * `outdated`: the number of runs that may be of a start which a later one has replaced, and that do not count.
 */
export type AwaitedBuild = { runs: RunOfBuild[]; outdated: number; isCurrent: boolean };

export type RunOfBuild = RunOfJob & { status: 'pending' | 'running' | 'completed' };

const PER_PAGE = 100;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 3_000;

/**
 * Returns the runs as they are after `waitMs` at the latest, the oldest first: then some may be missing, or not be completed.
 * A run that comes later than that is not judged, which `expected` shows. @throws TestledgerError
 */
export async function awaitBuild(client: Client, wanted: BuildWanted, waitMs: number): Promise<AwaitedBuild> {
  const end = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const isLast = performance.now() >= end;
    const { runs: all, isStale } = await runsOf(client, wanted);
    const { starts } = wanted;
    const counting = all.filter((run) => starts === null || !mayBeOutdated(run, starts));
    const runs = newestStarts(counting);
    const isWhole = runs.length >= wanted.expected && runs.every(({ status }) => status === 'completed');
    if (isLast || (isWhole && !isStale)) {
      const outdated = newestStarts(all).filter((run) => !counting.includes(run)).length;
      return { runs: runs.toReversed(), outdated, isCurrent: !isStale };
    }
    await pause(Math.min(pauseMs, Math.max(end - performance.now(), 0)));
  }
}

async function runsOf(
  client: Client,
  { project, build, earlierBuilds }: BuildWanted,
): Promise<{ runs: RunOfBuild[]; isStale: boolean }> {
  const runs: RunOfBuild[] = [];
  for (const each of [build, ...earlierBuilds]) {
    const found = await runsOfOne(client, project, each);
    // A run with a key of its own does not say which job made it, so it counts in its own start of the build alone.
    runs.push(...found.runs.filter((run) => each === build || isOfJob(run)));
    if (found.isStale) return { runs, isStale: true };
  }
  return { runs, isStale: false };
}

async function runsOfOne(
  client: Client,
  project: string,
  build: string,
): Promise<{ runs: RunOfBuild[]; isStale: boolean }> {
  const runs: RunOfBuild[] = [];
  for (let page = 1; ; page += 1) {
    const query = { project_id: project, build, page, per_page: PER_PAGE };
    const { body, isStale } = await answered<{ data: RunOfBuild[]; pagination: { total_pages: number } }>(
      client.GET('/v1/test-runs', { params: { query } }),
    );
    runs.push(...body.data);
    if (isStale || page >= body.pagination.total_pages) return { runs, isStale };
  }
}
