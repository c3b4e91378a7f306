/**
 * The lines of a test: the test in each environment, and without one. A line has a number of its own among the tests of its project,
 * and so a place in a bucket; that without an environment has the number of the test.
 */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { placeIn, type Place } from './buckets.js';
import { numbersOf, numbersRefs, type TestNumbers } from './test-numbers.js';
import {
  nextNumber,
  projectTestsDocuments,
  takeNumber,
  testDocuments,
  type Line,
  type TestDocument,
} from './tests.js';
import { inTrouble, noTrouble, type LineTrouble, type Trouble } from './troubled-tests.js';

/**
 * A test keeps the lines that it used last, 200 at least. With fewer than 100, their order does not change, because each change of
 * it writes the document of the test. From then on the line of each result goes to the front, so that behind 300 lines 200 others were
 * used after the one that is forgotten.
 */
const IN_ORDER_FROM = 100;
export const MOST_LINES = 300;

/** A test that never ran in an environment has no list: it would repeat the fields of the test. */
export function linesOf({ lines, number, plain, state, newest, impact }: TestDocument): readonly Line[] {
  if (lines !== undefined) return lines;
  if (!plain) return [];
  if (state === null || newest === null || impact === null) return [{ environment: '', number }];
  return [{ environment: '', number, trouble: { state, newest, impact } }];
}

/** Broken, then flaky, then failing, then those that need nobody. */
export function worstFirst(lines: readonly Line[]): Line[] {
  return lines.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** A line in trouble that is stable is failing. */
const states = ['broken', 'flaky', 'stable'] as const;

function rankOf({ trouble }: Line): number {
  return trouble === undefined ? states.length : states.indexOf(trouble.state);
}

/** The place of a line; null where the test does not have it. */
export function placeOfLine(
  documents: ReadableDocuments,
  testId: string,
  environment: EnvironmentKey,
): Place | null {
  const test = documents.get(testDocuments, testId);
  const number = test === null ? null : numberOf(test, environment);
  return test === null || number === null ? null : placeIn(test.project_id, number);
}

type LineOfTest = { project_id: string; environment: EnvironmentKey };

/** What `placesFor` reads. */
export function placeRefs(testId: string, { project_id, environment }: LineOfTest): DocumentRef[] {
  const refs = numbersRefs(project_id, testId);
  refs.push(projectTestsDocuments.at(project_id));
  if (environment !== '') refs.push(testDocuments.at(testId));
  return refs;
}

/** The places of a test and of one of its lines. Those that are new take the next numbers. `known`: null for a new test. */
export function placesFor(
  documents: ReadableDocuments,
  testId: string,
  { project_id, environment }: LineOfTest,
): { whole: Place; line: Place; known: TestNumbers | null } {
  const next = nextNumber(documents, project_id);
  const known = numbersOf(documents, project_id, testId);
  const whole = placeIn(project_id, known?.number ?? next);
  if (environment === '') return { whole, line: whole, known };
  const test = documents.get(testDocuments, testId);
  const line = (test && numberOf(test, environment)) ?? (test === null ? next + 1 : next);
  return { whole, line: placeIn(project_id, line), known };
}

/** Null for a line that the test does not have. That without an environment is always at the place of the test. */
export function numberOf(
  { lines = [], number }: Pick<TestDocument, 'lines' | 'number'>,
  environment: EnvironmentKey,
): number | null {
  return environment === ''
    ? number
    : (lines.find((line) => line.environment === environment)?.number ?? null);
}

/** The line that a new one pushes out; null where there is room. */
export function forgottenFor({ lines = [] }: TestDocument, environment: EnvironmentKey): Line | null {
  if (lines.length < MOST_LINES || lines.some((line) => line.environment === environment)) return null;
  return lines.at(-1)!;
}

/** The test with a line that gets an entry. A new one takes the next number of the project. */
export function withLine(
  documents: Documents,
  test: TestDocument,
  environment: EnvironmentKey,
): TestDocument {
  if (environment === '' && test.lines === undefined) return test.plain ? test : { ...test, plain: true };
  const lines = linesOf(test);
  const known = lines.find((line) => line.environment === environment);
  if (known !== undefined && (lines.length < IN_ORDER_FROM || known === lines[0])) return test;
  const line = known ?? newLine(documents, test, environment);
  const others = lines.filter((each) => each !== known).slice(0, MOST_LINES - 1);
  return withLines(test, lines.length < IN_ORDER_FROM ? [...others, line] : [line, ...others]);
}

function newLine(documents: Documents, test: TestDocument, environment: EnvironmentKey): Line {
  const number = environment === '' ? test.number : takeNumber(documents, test.project_id);
  return { environment, number };
}

export function withoutLine(test: TestDocument, environment: EnvironmentKey): TestDocument {
  if (test.lines === undefined) return { ...test, plain: false };
  return withLines(
    test,
    test.lines.filter((line) => line.environment !== environment),
  );
}

function withLines(test: TestDocument, lines: readonly Line[]): TestDocument {
  return { ...test, lines, plain: lines.some(({ environment }) => environment === '') };
}

/** The fields of a test that say its trouble, with that of one of its lines: as a whole it has the worst of them. */
export function troubleWith(
  { lines }: TestDocument,
  listed_in: string | null,
  environment: EnvironmentKey,
  trouble: LineTrouble | null,
): Trouble & Pick<TestDocument, 'lines'> {
  if (lines === undefined) return trouble === null ? noTrouble : inTrouble(listed_in, [trouble]);
  const before = lines.find((line) => line.environment === environment);
  const after = isSame(before?.trouble ?? null, trouble)
    ? lines
    : lines.map((line) => (line === before ? troubled(line, trouble) : line));
  const all = after.flatMap((line) => line.trouble ?? []);
  return { lines: after, ...inTrouble(listed_in, all) };
}

function troubled({ environment, number }: Line, trouble: LineTrouble | null): Line {
  return trouble === null ? { environment, number } : { environment, number, trouble };
}

function isSame(one: LineTrouble | null, other: LineTrouble | null): boolean {
  if (one === null || other === null) return one === other;
  return one.state === other.state && one.newest === other.newest && one.impact === other.impact;
}
