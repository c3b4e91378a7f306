/** What a failure changes in its cause, when it begins to count or counts no more. */
import { afterFailure, noLaterThan } from '../../src/domain/causes/standing.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { groupId, type CountedFailure } from '../history/failure-scopes.js';
import { followedRef } from '../history/followed.js';
import {
  causeDocuments,
  causeTestDocuments,
  type CauseDocument,
  putTransition,
  type CauseTestDocument,
} from './cause-documents.js';
import { newEntryRef, tell } from './cause-entries.js';
import { watch, watchRefs } from './dues.js';

/** What `sight` and `unsight` get and put, without `changedCauseRefs`. */
export function causeRefs({ project_id, group, test_id }: CountedFailure): DocumentRef[] {
  const cause = groupId(project_id, group.id);
  return [causeDocuments.at(cause), causeTestDocuments.at(`${cause}#${test_id}`)];
}

/** What `sight` puts besides where the cause opens or comes back: nearly no failure does that. */
export function changedCauseRefs(
  documents: ReadableDocuments,
  event: HistoryEvent,
  failure: CountedFailure,
): DocumentRef[] {
  const { project_id, group } = failure;
  const id = groupId(project_id, group.id);
  const cause = documents.get(causeDocuments, id);
  if (cause !== null && cause.state !== 'fixed') return [];
  return [
    newEntryRef(id, event),
    followedRef(event),
    ...watchRefs(project_id, group.id, ranAt(event, failure)),
  ];
}

/** The failure counts from this event on. */
export function sight(documents: Documents, event: HistoryEvent, failure: CountedFailure): void {
  const { project_id, run_id, result_id } = failure;
  const { id: group } = failure.group;
  const id = groupId(project_id, group);
  const at = ranAt(event, failure);
  const present = documents.get(causeDocuments, id);
  const standing = afterFailure(present, at);
  const test_owner = ownerIn(event, failure) ?? present?.test_owner ?? null;
  countTest(documents, failure, at);
  if (present === null) {
    const nothing = { said_by: null, owner: null, note: null, ticket: null, transitions: 0 };
    const cause: CauseDocument = { ...standing, group, ...nothing, test_owner };
    const data = { group, project_id, run_id, result_id };
    putTransition(documents, event, { id, cause, fact: { type: 'GroupAppeared', data } });
    tell(documents, event, { what: 'opened', run_id, cause: id, at, actor: null });
    return watch(documents, project_id, group, at);
  }
  if (standing === present && test_owner === present.test_owner) return;
  const cause: CauseDocument = { ...present, ...standing, test_owner };
  if (standing.state === present.state) return documents.put(causeDocuments, id, cause);
  tell(documents, event, { what: 'came_back', run_id, cause: id, at, actor: null });
  const data = { group, project_id, run_id, result_id, fixed_at: present.since };
  putTransition(documents, event, {
    id,
    cause: { ...cause, said_by: null },
    fact: { type: 'CauseCameBack', data },
  });
  watch(documents, project_id, group, at);
}

/** The failure counts no more: it has happened all the same. */
export function unsight(documents: Documents, failure: CountedFailure): void {
  const id = testIn(failure);
  const present = documents.get(causeTestDocuments, id);
  if (present === null) return;
  if (present.results === 1) documents.remove(causeTestDocuments, id);
  else documents.put(causeTestDocuments, id, { ...present, results: present.results - 1 });
}

function countTest(documents: Documents, failure: CountedFailure, at: string): void {
  const { project_id, group, test_id } = failure;
  const id = testIn(failure);
  const present = documents.get(causeTestDocuments, id);
  const { results = 0, last_failed_at = at } = present ?? {};
  documents.put(causeTestDocuments, id, {
    cause: groupId(project_id, group.id),
    test_id,
    results: results + 1,
    last_failed_at: at > last_failed_at ? at : last_failed_at,
  } satisfies CauseTestDocument);
}

function testIn({ project_id, group, test_id }: CountedFailure): string {
  return `${groupId(project_id, group.id)}#${test_id}`;
}

function ranAt({ meta }: HistoryEvent, { at }: CountedFailure): string {
  return noLaterThan(at, meta.at);
}

/** Another result that counts again says no owner: its event does not have it. */
function ownerIn({ change }: HistoryEvent, { result_id }: CountedFailure): string | null {
  return change?.result.test_result_id === result_id ? change.owner : null;
}
