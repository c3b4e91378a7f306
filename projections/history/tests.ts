/** The tests of a project: what lists of them show, and what seldom changes. Their states are in buckets (`test-buckets.ts`). */
import type { Instant } from '../../src/domain/event.js';
import { collection, type Documents, type ReadableDocuments } from '../../src/domain/projection.js';
import { placeIn, type Place } from './buckets.js';
import type { Trouble } from './troubled-tests.js';

/** By test id. */
export type TestDocument = Trouble & {
  team_id: string;
  project_id: string;
  name: string;
  /** Its number in the project. Its state is at this place. */
  number: number;
  /** The project that lists the test; null while the test has no final result. */
  listed_in: string | null;
  /** The number of events in its stream. */
  transitions: number;
  /** That of its newest result. */
  owner: string | null;
  /** Null where there is none in force. It stays for some seconds after `expires_at`, until its end is recorded. */
  known_failure: KnownFailureOfTest | null;
};

export type KnownFailureOfTest = {
  reason: string;
  branch: string | null;
  expires_at: Instant;
  /** The id of the key that set it. */
  actor: string;
  at: Instant;
  /** The number of results that were known through it. */
  hidden_results: number;
};

/** By project id: how many tests it ever had. The next one gets this number. */
type ProjectTestsDocument = { tests: number };

export const projectTestsDocuments = collection<ProjectTestsDocument>({
  name: 'project_tests',
  ids: 'project',
  indexes: [],
});

export const testDocuments = collection<TestDocument>({
  name: 'tests',
  ids: 'test',
  indexes: [
    ['listed_in', 'name'],
    ['troubled_in', 'impact'],
    ['troubled_in', 'state', 'impact'],
    ['troubled_in', 'newest', 'impact'],
  ],
  filterable: ['owner'],
  sparse: ['troubled_in'],
  totals: [
    ['listed_in'],
    ['listed_in', 'owner'],
    ['troubled_in'],
    ['troubled_in', 'state'],
    ['troubled_in', 'newest'],
  ],
  searchable: 'name',
});

/** A test without results. It takes the next number of its project. */
export function newTest(
  documents: Documents,
  named: Pick<TestDocument, 'team_id' | 'project_id' | 'name'>,
): TestDocument {
  const { team_id, project_id, name } = named;
  const number = nextNumber(documents, project_id);
  documents.put(projectTestsDocuments, project_id, { tests: number + 1 });
  return {
    team_id,
    project_id,
    name,
    number,
    listed_in: null,
    transitions: 0,
    owner: null,
    troubled_in: null,
    state: null,
    newest: null,
    impact: null,
    known_failure: null,
  };
}

/** The place of a test, or of the next new one. */
export function placeOf(documents: ReadableDocuments, testId: string, projectId: string): Place {
  const test = documents.get(testDocuments, testId);
  return placeIn(projectId, test?.number ?? nextNumber(documents, projectId));
}

/** Null for a test that there is not. */
export function placeOfKnown(documents: ReadableDocuments, testId: string): Place | null {
  const test = documents.get(testDocuments, testId);
  return test === null ? null : placeIn(test.project_id, test.number);
}

function nextNumber(documents: ReadableDocuments, projectId: string): number {
  return documents.get(projectTestsDocuments, projectId)?.tests ?? 0;
}

/** A passing test changes its state only: to write its document too would cost more than all else of a result. */
export function putIfChanged(
  documents: Documents,
  id: string,
  stored: TestDocument | null,
  next: TestDocument,
): void {
  const fields = Object.keys(next) as (keyof TestDocument)[];
  if (stored === null || fields.some((field) => stored[field] !== next[field])) {
    documents.put(testDocuments, id, next);
  }
}
