/** The tests of a project: what lists of them show, and what seldom changes. Their states are in buckets (`test-buckets.ts`). */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import { collection, type Documents, type ReadableDocuments } from '../../src/domain/projection.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { putNumbers } from './test-numbers.js';
import type { LineTrouble, Trouble } from './troubled-tests.js';

/** By test id. */
export type TestDocument = Trouble & {
  team_id: string;
  project_id: string;
  name: string;
  /** Its id, where the name from which it was made is redacted. */
  test_id?: string;
  /** Its number in the project. Its state is at this place. */
  number: number;
  /** How many tests of the project came before it. The statistics count it by this. */
  ordinal: number;
  /** Absent while it ran in no environment (`lines.ts`). */
  lines?: readonly Line[];
  /** It has results without an environment. */
  plain: boolean;
  /** The project that lists the test; null while the test has no final result. */
  listed_in: string | null;
  /** The number of events in its stream. */
  transitions: number;
  /** That of its newest result. */
  owner: string | null;
  /** Those of its newest result, packed (`packed-tags.ts`); null without any. */
  tags: string | null;
  /** Null where there is none in force. It stays for some seconds after `expires_at`, until its end is recorded. */
  known_failure: KnownFailureOfTest | null;
};

/** `trouble`: absent for a line that needs nobody. */
export type Line = { environment: EnvironmentKey; number: number; trouble?: LineTrouble };

export type KnownFailureOfTest = {
  reason: string;
  branch: string | null;
  /** Null where it is known in all. */
  environment: EnvironmentKey | null;
  expires_at: Instant;
  /** The id of the key that set it. */
  actor: string;
  at: Instant;
  /** The group of failures for all of whose tests it was set. Absent for this test alone. */
  group?: string;
  /** The number of results that were known through it. */
  hidden_results: number;
};

/** By project id: how many tests and lines it ever had, and how many tests. The next one gets this number, and this ordinal. */
type ProjectTestsDocument = { tests: number; ordinals: number };

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
  filterable: ['owner', 'plain', 'tags', 'number'],
  sparse: ['troubled_in'],
  totals: [
    ['listed_in'],
    ['listed_in', 'owner'],
    ['listed_in', 'plain'],
    ['listed_in', 'owner', 'plain'],
    ['troubled_in'],
    ['troubled_in', 'state'],
    ['troubled_in', 'newest'],
  ],
  searchable: 'name',
});

/**
 * A test without results. It takes the next number of its project. `hasOwnName`: its id follows from its name, for a caller that
 * has just made the id.
 */
export function newTest(
  documents: Documents,
  id: string,
  named: Pick<TestDocument, 'team_id' | 'project_id' | 'name'> & { hasOwnName?: boolean },
): TestDocument {
  const { team_id, project_id, name } = named;
  const { hasOwnName = id === testIdOf(project_id, name) } = named;
  const { tests: number, ordinals: ordinal } = testsOf(documents, project_id);
  documents.put(projectTestsDocuments, project_id, { tests: number + 1, ordinals: ordinal + 1 });
  putNumbers(documents, project_id, id, { number, ordinal });
  return {
    team_id,
    project_id,
    name,
    ...(!hasOwnName && { test_id: id }),
    number,
    ordinal,
    plain: false,
    listed_in: null,
    transitions: 0,
    owner: null,
    tags: null,
    troubled_in: null,
    state: null,
    newest: null,
    impact: null,
    known_failure: null,
  };
}

/** The number that the next new test or line takes. */
export function nextNumber(documents: ReadableDocuments, projectId: string): number {
  return testsOf(documents, projectId).tests;
}

function testsOf(documents: ReadableDocuments, projectId: string): ProjectTestsDocument {
  return documents.get(projectTestsDocuments, projectId) ?? { tests: 0, ordinals: 0 };
}

/** Of a new line. */
export function takeNumber(documents: Documents, projectId: string): number {
  const { tests, ordinals } = testsOf(documents, projectId);
  documents.put(projectTestsDocuments, projectId, { tests: tests + 1, ordinals });
  return tests;
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

export function idOfTest({
  test_id,
  project_id,
  name,
}: Pick<TestDocument, 'test_id' | 'project_id' | 'name'>): string {
  return test_id ?? testIdOf(project_id, name);
}
