/**
 * A rebuild folds the whole log into a new build, while the live build goes on. When the new build has caught up, the
 * live one pauses, the rest of the log is folded, and the new build becomes the live one.
 */
import type { Partitions } from '../domain/partition.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { fail, isAppError, isUnavailable } from '../errors.js';
import { instant, type Clock } from '../clock.js';
import type { Build } from '../ports/views.js';
import type { State } from '../ports/state.js';
import { lanesInto, type Leading } from './leading.js';

export type RebuildRequest = {
  status: 'requested' | 'running' | 'done' | 'failed';
  requested_at: string;
  build: number | null;
  events: number;
  finished_at: string | null;
  /** The reason of a failure. */
  error: string | null;
  /** The version that is to be built. */
  version: number;
};

/**
 * Asks the process that runs the projection to rebuild it. Everything goes on meanwhile. `readRebuild` shows the
 * progress.
 */
export async function requestRebuild(
  state: State,
  { name, version }: Pick<ProjectionSpec, 'name' | 'version'>,
  now: string,
): Promise<void> {
  const value: RebuildRequest = {
    status: 'requested',
    requested_at: now,
    build: null,
    events: 0,
    finished_at: null,
    error: null,
    version,
  };
  await state.put('rebuild', name, value, { expected: 'any' });
}

export async function readRebuild(state: State, projection: string): Promise<RebuildRequest | null> {
  return (await state.get<RebuildRequest>('rebuild', projection))?.value ?? null;
}

/**
 * Returns the request for this version that is neither done nor failed, if there is one. A request that names another
 * version is left to the processes of that version.
 */
export async function rebuildRequest(
  state: State,
  { name, version }: Pick<ProjectionSpec, 'name' | 'version'>,
): Promise<RebuildRequest | null> {
  const request = await readRebuild(state, name);
  if (request?.version !== version) return null;
  return request.status === 'requested' || request.status === 'running' ? request : null;
}

type RebuildContext = {
  /** Goes on with the live build meanwhile. Null if it has another version: then another process does. */
  follow: ((signal: AbortSignal) => Promise<void>) | null;
  ended: AbortSignal;
};

/** Runs a rebuild to its end, or until the lease ends. @throws the fault that stopped it */
export async function runRebuild(leading: Leading, { follow, ended }: RebuildContext): Promise<void> {
  const { projection, views, state, report, clock, stuck } = leading;
  const request = await rebuildRequest(state, projection);
  const target = await targetBuild(leading, request);
  const progress = progressOf(state, projection.name, request, clock);
  report({ type: 'rebuilding', build: target.build });
  await progress.write('running', target.build);

  const pause = new AbortController();
  const meanwhile = follow === null ? Promise.resolve() : follow(AbortSignal.any([ended, pause.signal]));
  // Clients read the live build meanwhile. When it fails, the rebuild stops too, and the projector starts again.
  const failed = new AbortController();
  meanwhile.catch(() => failed.abort());
  try {
    const lanes = await lanesInto(leading, target);
    const until = AbortSignal.any([ended, failed.signal]);
    const catchUp = () => lanes.catchUp(until, (events) => progress.count(events, target.build));
    refuseStuck(await catchUp(), follow);
    // The live build pauses here. The next reads cover all events that it has committed.
    if (follow === null) await fenceLive(leading, until);
    pause.abort();
    await meanwhile;
    const partitions = refuseStuck(await catchUp(), follow);
    if (until.aborted) return;
    await views.promote(projection, target.build, leading.lease.epoch, { mayBeBehind: partitions });
    await stuck.keepOnly(target.build);
  } catch (error) {
    // The request says that it failed, and it does not begin again by itself: a log that cannot be folded stays so. A
    // lost lease or an unavailable server is not a failure of the rebuild: the next leader continues it.
    if (!ended.aborted && !isAppError(error, 'fenced') && !isUnavailable(error)) {
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
 * A live build of the same version shows at least as much as the new one would, so it stays. One of another version is
 * replaced: only the teams of the stuck partitions see an older state, and all others go on.
 */
function refuseStuck(partitions: Partitions, follow: RebuildContext['follow']): Partitions {
  if (follow !== null && partitions !== '') {
    throw new Error(`the partitions ${partitions} are stuck at an event that cannot be folded`);
  }
  return partitions;
}

/**
 * The process that follows the live build can commit nothing from here on, until it takes the lease again. It may commit
 * between the look at its checkpoints and the fence: then this looks again, because a process that commits all the time
 * would hold up every promotion. @throws AppError `fenced` when its epoch is not lower than this one
 */
async function fenceLive(
  { projection, views, lease: { epoch } }: Leading,
  until: AbortSignal,
): Promise<void> {
  let fenced = 0;
  while (!until.aborted) {
    const live = (await views.builds(projection.name)).find((build) => build.live);
    const highest = live?.epoch ?? 0;
    if (live === undefined || highest > epoch || (highest === epoch && fenced === 0)) {
      return void fail('fenced', `the live build of ${projection.name} has a new leader`);
    }
    try {
      for (const { partitions, position } of live.checkpoints.filter((each) => each.epoch < epoch)) {
        const still = { epoch, partitions, from: position, to: position, changes: [] };
        await views.commit(projection, { build: live.build, ...still });
        fenced += 1;
      }
      return;
    } catch (error) {
      if (!isAppError(error, 'fenced')) throw error;
    }
  }
}

/**
 * Returns the build to fold into: a new one, or the one that this request or this version began before a restart. If
 * every start began a new one, a log that takes longer to fold than the server runs would never be folded.
 */
async function targetBuild(options: Leading, request: RebuildRequest | null): Promise<Build> {
  const { views, projection } = options;
  const builds = await views.builds(projection.name);
  const begun = builds.find(
    ({ build, live, version }) =>
      !live && version === projection.version && (request === null || build === request.build),
  );
  if (begun !== undefined) return begun;
  const build = Math.max(0, ...builds.map((each) => each.build)) + 1;
  await views.prepare(projection, build);
  return (await views.builds(projection.name)).find((each) => each.build === build)!;
}

/** The command that asked takes a rebuild without progress for stuck, so a slow one writes its progress too. */
const PROGRESS_MS = 5_000;

/** Writes the progress into the request, once in 20,000 events or in some seconds. */
function progressOf(state: State, projection: string, request: RebuildRequest | null, clock: Clock) {
  let events = 0;
  let written = 0;
  let writtenAt = 0;
  const write = async (
    status: RebuildRequest['status'],
    build: number,
    end: Partial<Pick<RebuildRequest, 'finished_at' | 'error'>> = {},
  ) => {
    if (request === null) return;
    written = events;
    writtenAt = clock().getTime();
    const value: RebuildRequest = { ...request, status, build, events, ...end };
    await state.put('rebuild', projection, value, { expected: 'any' });
  };
  return {
    write,
    async count(more: number, build: number) {
      events += more;
      const isLong = clock().getTime() - writtenAt >= PROGRESS_MS;
      if (events - written >= 20_000 || isLong) await write('running', build);
    },
  };
}
