/**
 * Doing what is due to the bytes of one artifact: first the event, then the bytes. The stream of the result says what
 * may be cleared, so that each step may be done again, at any time and by two at once.
 */
import { streamName, type Instant } from '../domain/event.js';
import { result } from '../domain/result.js';
import { fail } from '../errors.js';
import { putCleanupTask, removeCleanupTask, type CleanupTask } from './cleanup-tasks.js';
import { later } from '../clock.js';
import { systemContext, type Ledger } from '../commands/ledger.js';
import type { Blobs } from '../ports/blobs.js';
import type { State } from '../ports/state.js';

export type CleanupDependencies = {
  ledger: Ledger;
  blobs: Blobs;
  state: State;
};

/** The clocks of two nodes differ by no more: the one signs and keeps, the other clears. */
const CLOCKS_DIFFER_MS = 5_000;

/**
 * Milliseconds after the end of an upload URL when nothing comes any more: neither bytes nor a version of them. A
 * confirmation looks at the clock as the last thing before it keeps, so that both are bounded by what storage promises.
 */
export function uploadsSettleAfterMs({ settlesInMs }: Pick<Blobs, 'settlesInMs'>): number {
  return settlesInMs + CLOCKS_DIFFER_MS;
}

/** Answers the bytes that became free. @throws LedgerError where something is away: then it is still to be done. */
export async function runCleanupTask(
  { ledger, blobs, state }: CleanupDependencies,
  due: CleanupTask,
  now: Instant,
): Promise<number> {
  const { team, artifact: artifact_id } = due;
  const context = systemContext(team, now, 'janitor');
  const stream = streamName('result', team, due.result);
  // Exactly one of an expiry and a confirmation is appended at one revision: what is told here stays true.
  const command = { type: 'ExpireArtifact', at: now, artifact_id } as const;
  const { state: present } = await ledger.execute(result, stream, context, command);
  const artifacts = present.life === 'present' ? (present.artifacts ?? []) : [];
  const artifact = artifacts.find((each) => each.artifact_id === artifact_id);
  if (artifact !== undefined && artifact.stored_as === null) {
    // A clock went back. What was kept for a confirmation under way must not be taken from it.
    fail('internal', `${artifact_id} may still be confirmed, so nothing of it is cleared`);
  }
  // Before the storage can fail: this entry is what they follow from.
  if (due.what === 'upload') {
    const following = (what: CleanupTask['what'], at: Instant) =>
      putCleanupTask(state, { ...due, what, at, since: at, failures: 0 });
    await following('late upload', later(due.since, uploadsSettleAfterMs(blobs)));
    if (artifact !== undefined) await following('expiry', artifact.expires_at);
  }
  const freed = await blobs.clear({ team, artifact: artifact_id }, artifact?.stored_as ?? null);
  await removeCleanupTask(state, due);
  return freed;
}
