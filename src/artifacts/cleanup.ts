/**
 * Runs a cleanup task: first it appends the event, then it deletes the bytes. The stream of the result says what may be
 * deleted, so each step may be repeated at any time, also by two processes at once.
 */
import { findArtifact, FOREVER, type ArtifactsKept } from '../domain/artifact/artifact.js';
import { streamName, type Instant } from '../domain/event.js';
import { result, type Result } from '../domain/results/result.js';
import { run } from '../domain/runs/run.js';
import { fail } from '../errors.js';
import { putCleanupTask, removeCleanupTask, type CleanupTask } from './cleanup-tasks.js';
import { addMilliseconds } from '../clock.js';
import { systemContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { keptWith } from '../commands/projects.js';
import type { Blobs } from '../ports/blobs.js';
import type { State } from '../ports/state.js';

export type CleanupDependencies = {
  commands: CommandHandler;
  blobs: Blobs;
  state: State;
};

/** The largest difference between the clocks of two nodes: one node signs and stores, another one deletes. */
const CLOCK_SKEW_MS = 5_000;

/**
 * Milliseconds from the end of an upload URL until neither bytes nor a version of them can arrive any more. A
 * confirmation checks the clock just before it stores a version, so storage bounds the time of both.
 */
export function uploadsSettleAfterMs({ settlesInMs }: Pick<Blobs, 'settlesInMs'>): number {
  return settlesInMs + CLOCK_SKEW_MS;
}

/** Returns how many bytes were deleted. @throws AppError where a store is away: the task stays to be done */
export async function runCleanupTask(
  { commands, blobs, state }: CleanupDependencies,
  task: CleanupTask,
  now: Instant,
): Promise<number> {
  const { team, artifact: artifact_id } = task;
  const context = systemContext(team, now, 'janitor');
  const stream = streamName('result', team, task.result);
  const command = async (before: Result) => {
    const kept = isConfirmed(before, artifact_id) ? await keptNow(commands, team, before) : undefined;
    return { type: 'ExpireArtifact', at: now, kept, artifact_id } as const;
  };
  // At one revision, either an expiry or a confirmation is appended, so the state that this returns stays true.
  const { state: present } = await commands.execute(result, stream, context, command);
  const artifacts = present.life === 'present' ? (present.artifacts ?? []) : [];
  const artifact = artifacts.find((each) => each.artifact_id === artifact_id);
  if (artifact !== undefined && artifact.stored_as === null) {
    // A clock was set back. A confirmation under way must not lose the version that it stored.
    fail('internal', `${artifact_id} may still be confirmed, so none of its bytes are deleted`);
  }
  if (task.what === 'expiry' && artifact !== undefined) {
    // A longer policy of its project has a walk that ends it (`retention/walk.ts`). The end of a pin has none.
    if (await isPinned(commands, team, present))
      await putCleanupTask(state, { ...task, at: addMilliseconds(now, PINNED_ASKED_EVERY_MS), failures: 0 });
    await removeCleanupTask(state, task);
    return 0;
  }
  // Before storage can fail: the next tasks follow from this one, which is removed at the end.
  if (task.what === 'upload') {
    const putNext = (what: CleanupTask['what'], at: Instant) =>
      putCleanupTask(state, { ...task, what, at, since: at, failures: 0 });
    await putNext('late upload', addMilliseconds(task.since, uploadsSettleAfterMs(blobs)));
    if (artifact !== undefined && artifact.expires_at !== FOREVER)
      await putNext('expiry', artifact.expires_at);
  }
  const freed = await blobs.clear({ team, artifact: artifact_id }, artifact?.stored_as ?? null);
  await removeCleanupTask(state, task);
  return freed;
}

/** Once a run is unpinned, nobody sees its expired artifacts. Their bytes go within this time. */
const PINNED_ASKED_EVERY_MS = 3_600_000;

/** Only the end of a confirmed artifact depends on its run and its project. */
function isConfirmed(of: Result, artifact_id: string): boolean {
  return of.life === 'present' && findArtifact(of, artifact_id)?.stored_as != null;
}

async function keptNow(
  commands: Pick<CommandHandler, 'load'>,
  team: string,
  parent: Result,
): Promise<ArtifactsKept> {
  return (await isPinned(commands, team, parent)) ? null : keptWith(commands, team, parent);
}

async function isPinned(
  commands: Pick<CommandHandler, 'load'>,
  team: string,
  parent: Result,
): Promise<boolean> {
  if (parent.life !== 'present' || parent.test_run_id === null) return false;
  const within = await commands.load(run, streamName('run', team, parent.test_run_id));
  return within.life === 'present' && within.pinned === true;
}
