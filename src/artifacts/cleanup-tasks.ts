/**
 * What has to be done to the bytes of artifacts, and when: entries of State, whose keys begin with their instant, so
 * that a list gives first what is due first. All follow from the log: putting one again does no harm.
 */
import type { Instant } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { parseStreamName } from '../domain/event.js';
import { backOffMs } from '../concurrency/back-off.js';
import { later } from '../clock.js';
import type { State } from '../ports/state.js';

export type CleanupTask = {
  /** When it is tried next. */
  at: Instant;
  /** When it was due. */
  since: Instant;
  team: string;
  artifact: string;
  /** Why the place of the artifact has to be looked at. */
  what: 'upload' | 'late upload' | 'expiry' | 'deletion';
  result: string;
  /** Tries that failed. */
  failures: number;
};

const KIND = 'blob-due';
/** Before all that came due by the clock: somebody asked for it just now. */
const FIRST: Instant = new Date(0).toISOString();
const BACK_OFF = { firstMs: 2_000, longestMs: 300_000 };

/** The events that something follows from; of others the janitor knows nothing. */
export const cleanupEventTypes = ['ArtifactCreated', 'ArtifactDeleted'] as const;

/** What follows from an event, or null. The rest follows from what is done. */
export function cleanupTaskOf(event: LedgerEvent): CleanupTask | null {
  const { team, id: result } = parseStreamName(event.stream);
  switch (event.type) {
    case 'ArtifactCreated': {
      const { artifact_id: artifact, upload_expires_at: at } = event.data;
      return { at, since: at, team, artifact, what: 'upload', result, failures: 0 };
    }
    case 'ArtifactDeleted': {
      const { artifact_id: artifact, reason } = event.data;
      // The others are the janitor's own events: what he wrote them for is not done before the bytes are gone.
      if (reason !== 'requested' && reason !== 'result_deleted') return null;
      return { at: FIRST, since: event.meta.at, team, artifact, what: 'deletion', result, failures: 0 };
    }
    default:
      return null;
  }
}

export async function putCleanupTask(state: State, due: CleanupTask): Promise<void> {
  await state.put(KIND, keyOf(due), due, { expected: 'any' });
}

export async function removeCleanupTask(state: State, due: CleanupTask): Promise<void> {
  await state.remove(KIND, keyOf(due), 'any');
}

/** To be tried again later and later, behind what is due by then: one that fails holds up no other. */
export async function postponeCleanupTask(state: State, due: CleanupTask, now: Instant): Promise<void> {
  const wait = backOffMs(due.failures + 1, BACK_OFF);
  // The later one first: a crash between the two must not lose what is to be done.
  await putCleanupTask(state, { ...due, at: later(now, wait), failures: due.failures + 1 });
  await removeCleanupTask(state, due);
}

/** What is due by now: what was asked for, then the longest due, so many at the most. */
export async function listDueCleanupTasks(state: State, now: Instant, limit: number): Promise<CleanupTask[]> {
  const entries = await state.list<CleanupTask>(KIND, { limit });
  return entries.map(({ value }) => value).filter(({ at }) => at <= now);
}

function keyOf({ at, team, artifact, what }: CleanupTask): string {
  return [at, team, artifact, what].join('#');
}
