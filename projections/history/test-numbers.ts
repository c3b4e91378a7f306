/**
 * The numbers of the tests of a project by their ids, many in one document. A test that passes again needs no more to find its
 * place: its own document, loaded for each result, was a quarter of the time of the fold.
 *
 * Those of new tests are first among the newest ones, in 32 documents of a project, and go to 256 others many at a time: to
 * write these again in each commit took a tenth of the fold of new tests, and more in small commits and large projects.
 */
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import { number, word } from '../../src/domain/test-history/z85.js';

/** As the document of the test has them. */
export type TestNumbers = { number: number; ordinal: number };

/**
 * By project id, `#`, and where the ids of its tests end: the newest by one character, the others by a digit besides. One after
 * the other: the id without its prefix, the number and the ordinal.
 */
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
/** The most tests of a document of newest numbers. Its text is short enough not to be deflated. */
export const MOST_NEWEST = 256;
/** The number of documents to which those of one document go. */
const SPREAD = 8;

/** What `numbersOf` reads. */
export function numbersRefs(projectId: string, testId: string): DocumentRef[] {
  const { newest, settled } = listsOf(projectId, testId);
  return [testNumberDocuments.at(newest), testNumberDocuments.at(settled[digitOf(testId)]!)];
}

/** The documents to which the newest numbers go: what `putNumbers` needs besides, if `willSettle`. */
export function settledRefs(projectId: string, testId: string): DocumentRef[] {
  return listsOf(projectId, testId).settled.map((id) => testNumberDocuments.at(id));
}

/** Whether `putNumbers` changes the documents of `settledRefs`. */
export function willSettle(documents: ReadableDocuments, projectId: string, testId: string): boolean {
  return textIn(documents, listsOf(projectId, testId).newest).length >= MOST_NEWEST * ENTRY;
}

/** Null for a test that is not there yet. */
export function numbersOf(
  documents: ReadableDocuments,
  projectId: string,
  testId: string,
): TestNumbers | null {
  const { newest, settled } = listsOf(projectId, testId);
  const key = testId.slice(-KEY);
  const found = foundNewest.get(documents)?.get(newest);
  const known = found?.get(key) ?? numbersIn(textIn(documents, settled[digitOf(testId)]!), key);
  return known ?? (found === undefined ? numbersIn(textIn(documents, newest), key) : null);
}

/** Of a new test. */
export function putNumbers(
  documents: Documents,
  projectId: string,
  testId: string,
  numbers: TestNumbers,
): void {
  const { newest, settled } = listsOf(projectId, testId);
  const key = testId.slice(-KEY);
  const found = newestOf(documents, newest);
  let tests = textIn(documents, newest);
  if (tests.length >= MOST_NEWEST * ENTRY) {
    settle(documents, settled, tests);
    tests = '';
  }
  found.set(key, numbers);
  tests += key + word(numbers.number) + word(numbers.ordinal);
  documents.put(testNumberDocuments, newest, { tests } satisfies TestNumbersDocument);
}

/**
 * By the documents of a batch, and by the id of one of newest numbers to which it has added: what is in it, by key. To look through
 * its text, which is another one after each new test, took all the time that fewer documents save.
 */
const foundNewest = new WeakMap<ReadableDocuments, Map<string, Map<string, TestNumbers>>>();

function newestOf(documents: ReadableDocuments, newest: string): Map<string, TestNumbers> {
  let byList = foundNewest.get(documents);
  if (byList === undefined) foundNewest.set(documents, (byList = new Map()));
  let found = byList.get(newest);
  if (found === undefined) {
    byList.set(newest, (found = new Map()));
    const tests = textIn(documents, newest);
    for (let at = 0; at < tests.length; at += ENTRY)
      found.set(tests.slice(at, at + KEY), numbersAt(tests, at));
  }
  return found;
}

function settle(documents: Documents, settled: readonly string[], newest: string): void {
  const more = settled.map(() => '');
  for (let at = 0; at < newest.length; at += ENTRY) {
    const entry = newest.slice(at, at + ENTRY);
    more[digitOf(entry.slice(0, KEY))] += entry;
  }
  for (const [n, id] of settled.entries()) {
    if (more[n] === '') continue;
    const tests = textIn(documents, id) + more[n]!;
    documents.put(testNumberDocuments, id, { tests } satisfies TestNumbersDocument);
  }
}

function numbersIn(tests: string, key: string): TestNumbers | null {
  let at = tests.indexOf(key);
  // Numbers may have the characters of a key.
  while (at % ENTRY > 0) at = tests.indexOf(key, at + 1);
  return at === -1 ? null : numbersAt(tests, at);
}

/** Of the entry that begins there. */
function numbersAt(tests: string, at: number): TestNumbers {
  const after = at + KEY + DIGITS;
  return { number: number(tests, at + KEY, after), ordinal: number(tests, after, after + DIGITS) };
}

function textIn(documents: ReadableDocuments, id: string): string {
  return documents.get(testNumberDocuments, id)?.tests ?? '';
}

/** `settled`: by the digit of `digitOf`. */
type Lists = { newest: string; settled: readonly string[] };

/** Those of the project that was asked for last, by the last character of the ids: to make the texts for each result took longer. */
let made: { projectId: string; lists: Map<string, Lists> } = { projectId: '', lists: new Map() };

function listsOf(projectId: string, testId: string): Lists {
  if (made.projectId !== projectId) made = { projectId, lists: new Map() };
  const last = testId.at(-1)!;
  let lists = made.lists.get(last);
  if (lists === undefined) {
    const newest = `${projectId}#${last}`;
    const settled = Array.from({ length: SPREAD }, (_, n) => `${projectId}#${n}${last}`);
    made.lists.set(last, (lists = { newest, settled }));
  }
  return lists;
}

/** That of the character before the last one. */
function digitOf(testId: string): number {
  return testId.charCodeAt(testId.length - 2) % SPREAD;
}
