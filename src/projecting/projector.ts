/**
 * Runs a projection: takes the lease, follows the feed from the checkpoint, folds each batch, and commits documents and
 * checkpoint together. A new version or a request starts a rebuild beside the live build (`rebuild.ts`).
 */
import { START } from '../domain/event.js';
import type { ProjectionSpec } from '../domain/projection.js';
import type { OpenFold } from './fold.js';
import type { Clock } from '../clock.js';
import type { Feed } from '../log/feed.js';
import { runAsLeader, type LeaderFault } from '../leases/run-as-leader.js';
import type { Holder, Lease } from '../leases/lease.js';
import type { Build, ViewWriter } from '../ports/views.js';
import type { State } from '../ports/state.js';
import { rebuildRequest, runRebuild } from './rebuild.js';
import { sleep } from '../concurrency/sleep.js';

export type ProjectorOptions = {
  projection: ProjectionSpec;
  /** Makes documents of events. */
  fold: OpenFold;
  feed: Feed;
  /** The largest number of events in one commit. */
  limit?: number;
  /**
   * The pause after a commit while events come fast, so that the next commit has more of them: a commit costs more than
   * the events in it.
   */
  gatherMs?: number;
  views: ViewWriter;
  state: State;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Gets every fault before the next try, and every rebuild. */
  report: (event: ProjectorReport) => void;
};

const EVENTS_PER_COMMIT = 2_000;
/** A batch of this many new events, with no backlog before it, means that events come fast. */
const BUSY_EVENTS = 20;

export type ProjectorReport = LeaderFault | { type: 'rebuilding' | 'rebuilt'; build: number };

/** Runs until the signal. After a fault it reports, and tries again after a pause that grows with each fault. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { projection, views, state, holder, clock, signal, report } = options;
  await runAsLeader({
    name: projection.name,
    state,
    holder,
    clock,
    signal,
    report,
    above: async () => Math.max(0, ...(await views.builds(projection.name)).map(({ epoch }) => epoch)),
    work: (lease, ended) => lead(options, lease, ended),
  });
}

/** Folds while the lease lasts. */
async function lead(options: ProjectorOptions, lease: Lease, ended: AbortSignal): Promise<void> {
  const { projection, views, state } = options;
  while (!ended.aborted) {
    const live = await liveBuild(views, projection);
    await refuseViewsAhead(live, options.feed);
    const request = await rebuildRequest(state, projection.name);
    if (live.version === projection.version && request === null) {
      await untilRequested(options, ended, (until) => projectLive(options, live, lease, until));
    } else {
      const current = live.version === projection.version ? live : null;
      await runRebuild(options, { live: current, lease, ended, follow: projectLive });
    }
  }
}

/** Follows the feed into the live build until the signal. */
async function projectLive(
  options: ProjectorOptions,
  live: Build,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const { projection, views, feed, limit = EVENTS_PER_COMMIT, gatherMs = 0 } = options;
  const { build, position } = live;
  // Raises the epoch before the first read: from here on, a former leader can commit nothing.
  await views.commit(projection, { build, epoch: lease.epoch, from: position, to: position, changes: [] });
  const fold = options.fold({ build, position, epoch: lease.epoch });
  for await (const batch of feed.follow({ after: position, signal, limit })) {
    await fold(batch);
    if (batch.caughtUp && batch.events.length >= BUSY_EVENTS) await sleep(gatherMs, signal);
  }
}

/** Works until `ended`, or until a rebuild is requested. */
async function untilRequested(
  { state, projection, report }: ProjectorOptions,
  ended: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const requested = new AbortController();
  const signal = AbortSignal.any([ended, requested.signal]);
  const watch = watchRequests(state, projection.name, signal, report, () => requested.abort());
  try {
    await work(signal);
  } finally {
    requested.abort();
    await watch;
  }
}

/** Views of another log would always look fresh, and events before their position would never be folded. */
async function refuseViewsAhead({ position }: Build, feed: Feed): Promise<void> {
  if (position <= (await feed.head())) return;
  throw new Error('the read models are ahead of the log, which was restored or replaced: delete the views');
}

/** The live build, or the first one if there is none. */
async function liveBuild(views: ViewWriter, projection: ProjectionSpec): Promise<Build> {
  const live = (await views.builds(projection.name)).find((build) => build.live);
  if (live !== undefined) {
    if (live.version === projection.version) await views.prepare(projection, live.build);
    return live;
  }
  await views.prepare(projection, 1);
  return { build: 1, version: projection.version, position: START, epoch: 0, live: true };
}

async function watchRequests(
  state: State,
  name: string,
  signal: AbortSignal,
  report: ProjectorOptions['report'],
  found: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(1_000, signal);
    if (signal.aborted) return;
    try {
      if ((await rebuildRequest(state, name)) !== null) found();
    } catch (error) {
      report({ type: 'failed', error, retryInMs: 1_000 });
    }
  }
}
