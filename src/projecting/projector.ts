/**
 * Runs a projection: takes the lease, folds the log into the live build, lane by lane (`lanes.ts`), and commits documents
 * and checkpoints together. A request starts a rebuild beside the live build (`rebuild.ts`).
 *
 * A process folds only builds of its own version. While the live build has an older one, the processes of that version
 * go on with it, and this one builds its own version beside it. While it has a newer one, this process is a spare.
 */
import { sleep } from '../concurrency/sleep.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { runAsLeader } from '../leases/run-as-leader.js';
import type { Build, ViewWriter } from '../ports/views.js';
import { lanesInto, type Leading, type ProjectorOptions } from './leading.js';
import { rebuildRequest, runRebuild } from './rebuild.js';
import { openStuckRecords } from './stuck.js';

const LOOK_EVERY_MS = 1_000;

/** Runs until the signal. After a fault it reports, and tries again after a pause that grows with each fault. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { projection, views, state } = options;
  const stuck = openStuckRecords(state, projection.name);
  const above = async () => Math.max(0, ...(await views.builds(projection.name)).map(({ epoch }) => epoch));
  const leader = (
    name: string,
    mayLead: () => Promise<boolean>,
    work: (leading: Leading, ended: AbortSignal) => Promise<void>,
  ) =>
    runAsLeader({
      ...options,
      name,
      above,
      mayLead,
      work: (lease, ended) => work({ ...options, lease, stuck }, ended),
    });
  await Promise.all([
    leader(projection.name, openMayFollow(options), followLive),
    // A lease of its own: the process that follows the live build may be of another version.
    leader(`${projection.name}@${projection.version}`, () => mayReplace(options), replaceLive),
  ]);
}

/** Answers whether the live build is of this version, or there is none yet. */
function openMayFollow({ projection, views, report }: ProjectorOptions): () => Promise<boolean> {
  let reported = 0;
  return async () => {
    const live = await liveBuild(views, projection);
    if (live === null || live.version === projection.version) return true;
    if (live.version > projection.version && live.version !== reported) {
      reported = live.version;
      report({ type: 'spare', version: reported });
    }
    return false;
  };
}

/** True if the live build is of an older version, or if somebody asked this version to replace a newer one. */
async function mayReplace({ projection, views, state }: ProjectorOptions): Promise<boolean> {
  const live = await liveBuild(views, projection);
  if (live === null || live.version === projection.version) return false;
  return live.version < projection.version || (await rebuildRequest(state, projection)) !== null;
}

/** Folds the live build while the lease lasts, and rebuilds it beside that when a rebuild is requested. */
async function followLive(leading: Leading, ended: AbortSignal): Promise<void> {
  const { projection, views, state, stuck } = leading;
  await stuck.clear();
  while (!ended.aborted) {
    const live = (await liveBuild(views, projection)) ?? (await firstBuild(views, projection));
    if (live.version !== projection.version) return;
    await views.prepare(projection, live.build);
    const follow = (signal: AbortSignal) => foldLive(leading, live, signal);
    if ((await rebuildRequest(state, projection)) === null) await untilChanged(leading, live, ended, follow);
    else await runRebuild(leading, { follow, ended });
  }
}

/** Builds this version beside the live build, which the processes of its version go on with. */
async function replaceLive(leading: Leading, ended: AbortSignal): Promise<void> {
  await runRebuild(leading, { follow: null, ended });
}

/** Follows the feed into the live build until the signal. */
async function foldLive(leading: Leading, live: Build, signal: AbortSignal): Promise<void> {
  const lanes = await lanesInto(leading, live);
  await lanes.follow(signal);
}

/**
 * Works until `ended`, until a rebuild is requested, or until another build is live. A leader that has nothing to commit
 * would not hear of the promotion, and would keep the lease from the newer process.
 */
async function untilChanged(
  { views, state, projection, report }: ProjectorOptions,
  live: Build,
  ended: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const changed = new AbortController();
  const signal = AbortSignal.any([ended, changed.signal]);
  const watching = watch(signal, report, async () => {
    if ((await rebuildRequest(state, projection)) !== null) return true;
    return (await liveBuild(views, projection))?.build !== live.build;
  }).then(() => changed.abort());
  try {
    await work(signal);
  } finally {
    changed.abort();
    await watching;
  }
}

async function liveBuild(views: ViewWriter, { name }: ProjectionSpec): Promise<Build | null> {
  return (await views.builds(name)).find(({ live }) => live) ?? null;
}

async function firstBuild(views: ViewWriter, projection: ProjectionSpec): Promise<Build> {
  await views.prepare(projection, 1);
  return (await liveBuild(views, projection))!;
}

/** Looks from time to time, until the signal or until the condition holds. */
async function watch(
  signal: AbortSignal,
  report: ProjectorOptions['report'],
  holds: () => Promise<boolean>,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      if (await holds()) return;
    } catch (error) {
      report({ type: 'failed', error, retryInMs: LOOK_EVERY_MS });
    }
  }
}
