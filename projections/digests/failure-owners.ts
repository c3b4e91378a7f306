/** Whose the tests are that failed, by their ordinals: the statistics know a test by nothing else. */
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { testDocuments } from '../history/tests.js';
import { TESTS_PER_BUCKET } from '../statistics/statistics-documents.js';

/** By project id, `#` and the number of the bucket: the owners that the newest failures name, by ordinal. */
type FailureOwnersDocument = { owners: Readonly<Record<string, string>> };

export const failureOwnerDocuments = collection<FailureOwnersDocument>({
  name: 'failure_owners',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});

export function failureOwnersRef(projectId: string, ordinal: number): DocumentRef {
  return failureOwnerDocuments.at(bucketId(projectId, ordinal));
}

/** Null where an event is no failure of a test with an owner. */
export function failureOwnerRefs(documents: ReadableDocuments, event: HistoryEvent): DocumentRef[] | null {
  const failed = failureIn(documents, event);
  return failed === null ? null : [failureOwnersRef(failed.project_id, failed.ordinal)];
}

export function putFailureOwner(documents: Documents, event: HistoryEvent): void {
  const failed = failureIn(documents, event);
  if (failed === null) return;
  const { project_id, ordinal, owner } = failed;
  const id = bucketId(project_id, ordinal);
  const owners = documents.get(failureOwnerDocuments, id)?.owners ?? {};
  if (owners[ordinal] !== owner)
    documents.put(failureOwnerDocuments, id, { owners: { ...owners, [ordinal]: owner } });
}

export function ownerOfFailures(
  documents: ReadableDocuments,
  projectId: string,
  ordinal: number,
): string | null {
  return documents.get(failureOwnerDocuments, bucketId(projectId, ordinal))?.owners[ordinal] ?? null;
}

function failureIn(documents: ReadableDocuments, { change }: HistoryEvent) {
  if (change?.entry?.status !== 'Failed' || change.owner === null) return null;
  const test = documents.get(testDocuments, change.test_id);
  if (test === null) return null;
  return { project_id: test.project_id, ordinal: test.ordinal, owner: change.owner };
}

function bucketId(projectId: string, ordinal: number): string {
  return `${projectId}#${Math.floor(ordinal / TESTS_PER_BUCKET)}`;
}
