/**
 * A rebuild folds the whole log into a new build, while the live build goes on. When the new build has caught up, the
 * live one pauses, the rest of the log is folded, and the new build becomes the live one.
 */
import { START } from '../domain/event.js';
import { isLedgerError, isUnavailable } from '../errors.js';
import { instant } from '../clock.js';
import type { Lease } from '../leases/lease.js';
import type { Build } from '../ports/views.js';
import type { State } from '../ports/state.js';
import type { ProjectorOptions } from './projector.js';

export type RebuildRequest = {
  status: 'requested' | 'running' | 'done' | 'failed';
  requested_at: string;
  build: number | null;
  events: number;
  finished_at: string | null;
  /** The reason of a failure. */
  error: string | null;
};

/**
 * Asks the process that runs the projection to rebuild it. Everything goes on meanwhile. `readRebuild` shows the
 * progress.
 */
export async function requestRebuild(state: State, projection: string, now: string): Promise<void> {
  const value: RebuildRequest = {
    status: 'requested',
    requested_at: now,
    build: null,
    events: 0,
    finished_at: null,
    error: null,
  };
  await state.put('rebuild', projection, value, { expected: 'any' });
}

export async function readRebuild(state: State, projection: string): Promise<RebuildRequest | null> {
  return (await state.get<RebuildRequest>('rebuild', projection))?.value ?? null;
}

/** Returns the request that is neither done nor failed, if there is one. */
export async function rebuildRequest(state: State, projection: string): Promise<RebuildRequest | null> {
  const request = await readRebuild(state, projection);
  return request?.status === 'requested' || request?.status === 'running' ? request : null;
}

type RebuildContext = {
  /** The live build, which goes on meanwhile. Null if its version is not the code's: then it only answers reads. */
  live: Build | null;
  lease: Lease;
  ended: AbortSignal;
  follow(options: ProjectorOptions, live: Build, lease: Lease, ended: AbortSignal): Promise<void>;
};

/** Runs a rebuild to its end, or until the lease ends. @throws the fault that stopped it */
export async function runRebuild(
  options: ProjectorOptions,
  { live, lease, ended, follow }: RebuildContext,
): Promise<void> {
  const { projection, views, state, feed, report, clock, limit = 2_000 } = options;
  const request = await rebuildRequest(state, projection.name);
  const target = await targetBuild(options, request);
  const progress = progressOf(state, projection.name, request);
  report({ type: 'rebuilding', build: target.build });
  await progress.write('running', target.build);

  const pause = new AbortController();
  const meanwhile =
    live === null ? Promise.resolve() : follow(options, live, lease, AbortSignal.any([ended, pause.signal]));
  // Clients read the live build meanwhile. When it fails, the rebuild stops too, and the projector starts again.
  let fault: unknown = null;
  meanwhile.catch((error: unknown) => (fault = error));
  try {
    const fold = options.fold({ ...target, epoch: lease.epoch });
    let { position } = target;
    for (let last = false; ;) {
      if (ended.aborted) return;
      if (fault !== null) throw fault;
      const batch = await feed.read({ after: position, limit });
      position = await fold(batch);
      await progress.count(batch.events.length, target.build);
      if (!batch.caughtUp) continue;
      if (last) break;
      // The live build pauses here. The next reads cover all events that it has committed.
      pause.abort();
      await meanwhile;
      last = true;
    }
    await views.promote(projection, target.build, lease.epoch);
  } catch (error) {
    // The request says that it failed, and it does not begin again by itself: a log that cannot be folded stays so. A
    // lost lease or an unavailable server is not a failure of the rebuild: the next leader continues it.
    if (!ended.aborted && !isLedgerError(error, 'fenced') && !isUnavailable(error)) {
      await progress.write('failed', target.build, { finished_at: instant(clock), error: String(error) });
    }
    throw error;
  } finally {
    pause.abort();
    await Promise.allSettled([meanwhile]);
  }
  await progress.write('done', target.build, { finished_at: instant(clock) });
  report({ type: 'rebuilt', build: target.build });
}

/**
 * Returns the build to fold into: a new one, or the one that this request or this version began before a restart. If
 * every start began a new one, a log that takes longer to fold than the server runs would never be folded.
 */
async function targetBuild(options: ProjectorOptions, request: RebuildRequest | null): Promise<Build> {
  const { views, projection } = options;
  const builds = await views.builds(projection.name);
  const begun = builds.find(
    ({ build, live, version }) =>
      !live && version === projection.version && (request === null || build === request.build),
  );
  if (begun !== undefined) return begun;
  const build = Math.max(0, ...builds.map((each) => each.build)) + 1;
  await views.prepare(projection, build);
  return { build, version: projection.version, position: START, epoch: 0, live: false };
}

/** Writes the progress into the request, once in 20,000 events. */
function progressOf(state: State, projection: string, request: RebuildRequest | null) {
  let events = 0;
  let written = 0;
  const write = async (
    status: RebuildRequest['status'],
    build: number,
    end: Partial<Pick<RebuildRequest, 'finished_at' | 'error'>> = {},
  ) => {
    if (request === null) return;
    written = events;
    const value: RebuildRequest = { ...request, status, build, events, ...end };
    await state.put('rebuild', projection, value, { expected: 'any' });
  };
  return {
    write,
    async count(more: number, build: number) {
      events += more;
      if (events - written >= 20_000) await write('running', build);
    },
  };
}
