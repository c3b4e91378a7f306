/** The tests that are known through a cause: their own known failures say so. */
import type { EventData, LedgerEvent } from '../../src/domain/events.js';
import { keyOfEnvironment } from '../../src/domain/environment.js';
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import { groupId } from '../history/failure-scopes.js';
import { causeDocuments, type CauseDocument, type KnownThrough } from './cause-documents.js';
import { entryRef, tell } from './cause-entries.js';

type Set = LedgerEvent<'KnownFailureSet'>;
type Ended = LedgerEvent<'KnownFailureEnded'>;

/** `groups`: those through which a test is known before an event or after it. */
export function knownThroughRefs(event: Set | Ended, groups: readonly (string | undefined)[]): DocumentRef[] {
  return groups.flatMap((group) => {
    if (group === undefined) return [];
    const id = groupId(event.data.project_id, group);
    return [causeDocuments.at(id), entryRef(id, event)];
  });
}

/** A test is known through the cause of this event, and no more through another one. */
export function knowThrough(documents: Documents, event: Set, before: string | undefined): void {
  const { project_id, group } = event.data;
  if (before !== undefined && before !== group) knowNoMore(documents, event, before);
  const id = group === undefined ? null : groupId(project_id, group);
  const cause = id === null ? null : documents.get(causeDocuments, id);
  if (id === null || cause === null) return;
  const tests = (cause.known?.tests ?? 0) + (before === group ? 0 : 1);
  const known = { tests, ...saidIn(event.data, event.meta) };
  // Each of its tests has an event of its own.
  if (!isSame(known, cause.known)) {
    const { reason, expires_at, actor, at } = known;
    tell(documents, event, { what: 'known', reason, expires_at, cause: id, at, actor });
  }
  documents.put(causeDocuments, id, { ...cause, known } satisfies CauseDocument);
}

/** The known failure of a test ends. */
export function knowNoMore(documents: Documents, event: Set | Ended, group: string): void {
  const id = groupId(event.data.project_id, group);
  const present = documents.get(causeDocuments, id);
  if (present?.known === undefined) return;
  const { known, ...cause } = present;
  const tests = known.tests - 1;
  if (tests === 0) {
    const { at, actor } = event.meta;
    const ended = event.type === 'KnownFailureEnded' ? event.data.ended : 'replaced';
    tell(documents, event, { what: 'known_ended', ended, cause: id, at, actor });
  }
  documents.put(causeDocuments, id, {
    ...cause,
    ...(tests > 0 && { known: { ...known, tests } }),
  } satisfies CauseDocument);
}

/** Whether both were said at once: the time of each test is its own. */
function isSame(one: KnownThrough, other: KnownThrough | undefined): boolean {
  return (
    one.reason === other?.reason &&
    one.actor === other.actor &&
    one.expires_at === other.expires_at &&
    one.branch === other.branch &&
    one.environment === other.environment
  );
}

function saidIn(
  { reason, branch, environment, expires_at }: EventData['KnownFailureSet'],
  { actor, at }: Set['meta'],
) {
  const key = environment == null ? null : keyOfEnvironment(environment);
  return { reason, branch, environment: key, expires_at, actor, at };
}
