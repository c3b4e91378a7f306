/**
 * The numbers of the tests of a project by their ids, many in one document. A test that passes again needs no more to find its
 * place: its own document, loaded for each result, was a quarter of the time of the fold.
 */
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import { number, word } from '../../src/domain/test-history/z85.js';
import { rememberingLast } from './buckets.js';

/** As the document of the test has them. */
export type TestNumbers = { number: number; ordinal: number };

/** By project id, `#`, and where the ids of its tests end. One after the other: the id without its prefix, the number and the ordinal. */
export type TestNumbersDocument = { tests: string };

export const testNumberDocuments = collection<TestNumbersDocument>({
  name: 'test_numbers',
  ids: 'project',
  indexes: [],
});

/**
 * All of the id's characters, and so 122 bits of a hash. Names whose ids share the last 63 bits take 2^32 hashes to make:
 * their tests would share a history, where a pass of one hides a failure of the other.
 */
const KEY = 26;
const DIGITS = 5;
const ENTRY = KEY + 2 * DIGITS;

/** What `numbersOf` reads, and `putNumbers` puts. */
export function numbersRef(projectId: string, testId: string): DocumentRef {
  return testNumberDocuments.at(listOf(projectId, testId));
}

/** 8 × 32 documents of a project. */
const listOf = rememberingLast(
  (projectId: string, testId: string) =>
    `${projectId}#${testId.charCodeAt(testId.length - 2) % 8}${testId.at(-1)}`,
);

/** Null for a test that is not there yet. */
export function numbersOf(
  documents: ReadableDocuments,
  projectId: string,
  testId: string,
): TestNumbers | null {
  const tests = documents.get(testNumberDocuments, listOf(projectId, testId))?.tests ?? '';
  const key = testId.slice(-KEY);
  let at = tests.indexOf(key);
  // Numbers may have the characters of a key.
  while (at % ENTRY > 0) at = tests.indexOf(key, at + 1);
  if (at === -1) return null;
  const after = at + KEY + DIGITS;
  return { number: number(tests, at + KEY, after), ordinal: number(tests, after, after + DIGITS) };
}

/** Of a new test. */
export function putNumbers(
  documents: Documents,
  projectId: string,
  testId: string,
  numbers: TestNumbers,
): void {
  const id = listOf(projectId, testId);
  const { tests } = documents.get(testNumberDocuments, id) ?? { tests: '' };
  const own = testId.slice(-KEY) + word(numbers.number) + word(numbers.ordinal);
  documents.put(testNumberDocuments, id, { tests: tests + own } satisfies TestNumbersDocument);
}
