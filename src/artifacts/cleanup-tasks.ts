/**
 * Cleanup tasks: what has to be done to the bytes of artifacts, and when. Each is an entry of State whose key begins
 * with its instant, so a list gives the task that is due first. All tasks follow from the log: storing one again does
 * no harm.
 */
import type { Instant } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { parseStreamName } from '../domain/event.js';
import { backOffMs } from '../concurrency/back-off.js';
import { addMilliseconds } from '../clock.js';
import type { State } from '../ports/state.js';

export type CleanupTask = {
  /** When it is tried next. */
  at: Instant;
  /** When it became due. */
  since: Instant;
  team: string;
  artifact: string;
  /** Why the place of the artifact has to be checked. */
  what: 'upload' | 'late upload' | 'expiry' | 'deletion';
  result: string;
  /** How many tries failed. */
  failures: number;
};

const KIND = 'blob-due';
/** Before everything that becomes due by the clock: a user requested it just now. */
const FIRST: Instant = new Date(0).toISOString();
const BACK_OFF = { firstMs: 2_000, longestMs: 300_000 };

/** The events from which tasks follow, and those whose contents are forgotten. The janitor reads no others. */
export const cleanupEventTypes = [
  'ArtifactCreated',
  'ArtifactDeleted',
  'ResultDeleted',
  'ResultRedacted',
] as const;

/** The task that follows from an event, or null. Further tasks follow from running this one. */
export function cleanupTaskOf(event: LedgerEvent): CleanupTask | null {
  const { team, id: result } = parseStreamName(event.stream);
  switch (event.type) {
    case 'ArtifactCreated': {
      const { artifact_id: artifact, upload_expires_at: at } = event.data;
      return { at, since: at, team, artifact, what: 'upload', result, failures: 0 };
    }
    case 'ArtifactDeleted': {
      const { artifact_id: artifact, reason } = event.data;
      // The janitor itself appends events with the other reasons, and its task goes on until the bytes are deleted.
      if (reason === 'expired' || reason === 'never_confirmed') return null;
      return { at: FIRST, since: event.meta.at, team, artifact, what: 'deletion', result, failures: 0 };
    }
    default:
      return null;
  }
}

export async function putCleanupTask(state: State, task: CleanupTask): Promise<void> {
  await state.put(KIND, taskKey(task), task, { expected: 'any' });
}

export async function removeCleanupTask(state: State, task: CleanupTask): Promise<void> {
  await state.remove(KIND, taskKey(task), 'any');
}

/** Moves a task that failed behind the tasks that are due by then, so that it does not hold up the others. */
export async function postponeCleanupTask(state: State, task: CleanupTask, now: Instant): Promise<void> {
  const wait = backOffMs(task.failures + 1, BACK_OFF);
  // The new entry is written first: a crash between the two writes must not lose the task.
  await putCleanupTask(state, { ...task, at: addMilliseconds(now, wait), failures: task.failures + 1 });
  await removeCleanupTask(state, task);
}

/** Returns at most `limit` tasks that are due: first those that users requested, then by how long they are due. */
export async function listDueCleanupTasks(state: State, now: Instant, limit: number): Promise<CleanupTask[]> {
  const entries = await state.list<CleanupTask>(KIND, { limit });
  return entries.map(({ value }) => value).filter(({ at }) => at <= now);
}

function taskKey({ at, team, artifact, what }: CleanupTask): string {
  return [at, team, artifact, what].join('#');
}
