/** The tests that are known through a cause: their own known failures say so. */
import type { EventData, LedgerEvent } from '../../src/domain/events.js';
import { keyOfEnvironment } from '../../src/domain/environment.js';
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import { groupId } from '../history/failure-scopes.js';
import { causeDocuments, type CauseDocument } from './cause-documents.js';

type Set = LedgerEvent<'KnownFailureSet'>;

/** `groups`: those through which a test is known before an event or after it. */
export function knownThroughRefs(project: string, groups: readonly (string | undefined)[]): DocumentRef[] {
  return groups.flatMap((group) => (group === undefined ? [] : causeDocuments.at(groupId(project, group))));
}

/** A test is known through the cause of this event, and no more through another one. */
export function knowThrough(documents: Documents, event: Set, before: string | undefined): void {
  const { project_id, group } = event.data;
  if (before !== undefined && before !== group) knowNoMore(documents, project_id, before);
  const id = group === undefined ? null : groupId(project_id, group);
  const cause = id === null ? null : documents.get(causeDocuments, id);
  if (id === null || cause === null) return;
  const tests = (cause.known?.tests ?? 0) + (before === group ? 0 : 1);
  const known = { tests, ...saidIn(event.data, event.meta) };
  documents.put(causeDocuments, id, { ...cause, known } satisfies CauseDocument);
}

/** The known failure of a test ends. */
export function knowNoMore(documents: Documents, project: string, group: string): void {
  const id = groupId(project, group);
  const present = documents.get(causeDocuments, id);
  if (present?.known === undefined) return;
  const { known, ...cause } = present;
  const tests = known.tests - 1;
  documents.put(causeDocuments, id, {
    ...cause,
    ...(tests > 0 && { known: { ...known, tests } }),
  } satisfies CauseDocument);
}

function saidIn(
  { reason, branch, environment, expires_at }: EventData['KnownFailureSet'],
  { actor, at }: Set['meta'],
) {
  const key = environment == null ? null : keyOfEnvironment(environment);
  return { reason, branch, environment: key, expires_at, actor, at };
}
