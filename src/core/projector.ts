/**
 * The runner of a projection: takes the lease, follows the feed from the checkpoint, folds each batch and commits
 * documents and checkpoint together. A new version, or a request, is folded beside the live build (`rebuild.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { START } from '../domain/event.js';
import type { ProjectionSpec } from '../domain/projection.js';
import type { OpenFolder } from './build.js';
import type { Clock } from './clock.js';
import type { Feed } from './feed.js';
import { acquireLease, LEASE_MS, type Holder, type Lease } from './lease.js';
import type { Build, State, ViewWriter } from './ports.js';
import { rebuildRequest, runRebuild } from './rebuild.js';

export type ProjectorOptions = {
  projection: ProjectionSpec;
  /** How events become documents. */
  fold: OpenFolder;
  feed: Feed;
  views: ViewWriter;
  state: State;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try, and of rebuilds. */
  report: (event: ProjectorReport) => void;
};

export type ProjectorReport =
  { type: 'failed'; error: unknown; retryInMs: number } | { type: 'rebuilding' | 'rebuilt'; build: number };

const FIRST_BACK_OFF = 100;
/** So long after an outage nothing is folded, at the most. */
const LONGEST_BACK_OFF = 2_000;

/** Runs until the signal. A fault is reported and tried again, with a longer and longer pause. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { projection, views, state, holder, signal, report, clock } = options;
  let backOff = FIRST_BACK_OFF;
  let held: Lease | null = null;
  const giveBack = async () => {
    await held?.release();
    held = null;
  };
  const highestEpoch = async () =>
    Math.max(0, ...(await views.builds(projection.name)).map(({ epoch }) => epoch));
  while (!signal.aborted) {
    const began = clock().getTime();
    try {
      // One that could not be given back while State was away would keep us waiting for ourselves.
      await giveBack();
      held = await acquireLease(state, projection.name, holder, clock, highestEpoch);
      const leads = held !== null;
      if (held !== null) await lead(options, held);
      backOff = FIRST_BACK_OFF;
      await rest(leads ? 0 : LEASE_MS / 10, signal);
    } catch (error) {
      // Else the pauses of one bad hour would add up with those of the next, months later.
      if (clock().getTime() - began > LONGEST_BACK_OFF) backOff = FIRST_BACK_OFF;
      report({ type: 'failed', error, retryInMs: backOff });
      // At once where it can be: another process may be better off. Where it cannot, the next turn tries again.
      await giveBack().catch(() => undefined);
      await rest(backOff, signal);
      backOff = Math.min(backOff * 2, LONGEST_BACK_OFF);
    }
  }
  await giveBack().catch((error: unknown) => report({ type: 'failed', error, retryInMs: 0 }));
}

/** Folds while the lease lasts. */
async function lead(options: ProjectorOptions, lease: Lease): Promise<void> {
  const { projection, views, state, signal } = options;
  const lost = new AbortController();
  const ended = AbortSignal.any([signal, lost.signal]);
  const renewal = keepLease(lease, ended, options.report, () => lost.abort());
  try {
    while (!ended.aborted) {
      const live = await liveBuild(views, projection);
      await mustBeWithin(live, options.feed);
      const request = await rebuildRequest(state, projection.name);
      if (live.version === projection.version && request === null) {
        await untilAsked(options, ended, (until) => followLive(options, live, lease, until));
      } else {
        const current = live.version === projection.version ? live : null;
        await runRebuild(options, { live: current, lease, ended, follow: followLive });
      }
    }
  } finally {
    lost.abort();
    await renewal;
  }
}

/** Follows the feed into the live build until the signal. */
async function followLive(
  options: ProjectorOptions,
  live: Build,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const { projection, views, feed } = options;
  const { build, position } = live;
  // Raises the epoch before anything is read for folding: an older runner can commit nothing from here on.
  await views.commit(projection, { build, epoch: lease.epoch, from: position, to: position, changes: [] });
  const fold = options.fold({ build, position, epoch: lease.epoch });
  for await (const batch of feed.follow({ after: position, signal })) await fold(batch);
}

/** Works until `ended`, or until somebody asks for a rebuild. */
async function untilAsked(
  { state, projection, report }: ProjectorOptions,
  ended: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const asked = new AbortController();
  const signal = AbortSignal.any([ended, asked.signal]);
  const watch = watchRequests(state, projection.name, signal, report, () => asked.abort());
  try {
    await work(signal);
  } finally {
    asked.abort();
    await watch;
  }
}

/** Views of another log would be taken for fresh for ever, and what is written up to where they stand never folded. */
async function mustBeWithin({ position }: Build, feed: Feed): Promise<void> {
  if (position <= (await feed.head())) return;
  throw new Error('the read models are ahead of the log, which was restored or replaced: delete the views');
}

async function liveBuild(views: ViewWriter, projection: ProjectionSpec): Promise<Build> {
  const live = (await views.builds(projection.name)).find((build) => build.live);
  if (live !== undefined) {
    if (live.version === projection.version) await views.prepare(projection, live.build);
    return live;
  }
  await views.prepare(projection, 1);
  return { build: 1, version: projection.version, position: START, epoch: 0, live: true };
}

async function keepLease(
  lease: Lease,
  signal: AbortSignal,
  report: ProjectorOptions['report'],
  lose: () => void,
): Promise<void> {
  let until = performance.now() + LEASE_MS;
  while (!signal.aborted) {
    await rest(LEASE_MS / 3, signal);
    if (signal.aborted) return;
    try {
      if (await lease.renew()) until = performance.now() + LEASE_MS;
      else lose();
    } catch (error) {
      // One fault of State is no reason to stop: the lease holds on, and the epoch fences whoever is late.
      report({ type: 'failed', error, retryInMs: LEASE_MS / 3 });
      if (performance.now() > until) lose();
    }
  }
}

async function watchRequests(
  state: State,
  name: string,
  signal: AbortSignal,
  report: ProjectorOptions['report'],
  found: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await rest(1_000, signal);
    if (signal.aborted) return;
    try {
      if ((await rebuildRequest(state, name)) !== null) found();
    } catch (error) {
      report({ type: 'failed', error, retryInMs: 1_000 });
    }
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal, ref: false }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
