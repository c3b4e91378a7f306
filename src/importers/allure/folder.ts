/**
 * The results of Allure: a file for each attempt of a test, beside each other in a folder. They are one report, since only
 * all of them together say which results are attempts of one test, and which fixture failed without a test that did.
 */
import { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ImportedEntry, ImportOptions } from '../entry.js';
import { ImportError } from '../import-error.js';
import type { ImporterContext } from '../importer.js';
import { jsonReader } from '../json/reader.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import { unlistedAttempt, type Reported } from '../reported.js';
import { ReportFault } from '../report.js';
import { sink as openSink, type Sink } from '../sink.js';
import { labelsOf, statusOf } from './fields.js';
import { failedFixtures, globalErrors, type FailedFixture } from './fixtures.js';
import { resultOf } from './result.js';
import { withVerdict } from './scenario.js';

/** The names that Allure gives to what it reads. */
const REPORTS = /-(?:result|container|globals)\.json$/;
/** Other files that adapters, plugins and people put beside them. */
const BESIDE =
  /(?:-attachment(?:\.[^.]*)?|^(?:categories|executor|testrun|history)\.json|^history\.jsonl|^environment\.(?:properties|xml))$/;
const RETRY = 'Allure writes each attempt of a test as a result of one historyId';
/** One result with its steps. Files that it attaches are beside it. */
const FILE_BYTES = 64 * 1_024 * 1_024;
/** Entries that are handed on together. */
const GROUP = 200;
/** Files that are looked at to know what a folder has. */
const TRIED = 10;

export type AllureFolder = { folder: string; files: readonly string[] };

/** Takes the folders of Allure's results out of the files of a run. What only lies beside the results is no report. */
export function allureFolders(files: readonly string[]): {
  folders: readonly AllureFolder[];
  others: readonly string[];
} {
  const named = new Map<string, string[]>();
  for (const file of files) {
    if (!REPORTS.test(file)) continue;
    const known = named.get(dirname(file));
    if (known === undefined) named.set(dirname(file), [file]);
    else known.push(file);
  }
  const folders = [...named]
    .map(([folder, found]) => ({ folder, files: found }))
    .filter((found) => isAllure(found.files));
  const taken = new Set(folders.map(({ folder }) => folder));
  const others = files.filter(
    (file) => !taken.has(dirname(file)) || !(REPORTS.test(file) || BESIDE.test(basename(file))),
  );
  return { folders, others };
}

/** The files of Allure in a folder, where it has results. */
export function allureFilesIn(folder: string): string[] | null {
  try {
    const files = readdirSync(folder).filter((name) => REPORTS.test(name));
    const found = files.map((name) => join(folder, name));
    return isAllure(found) ? found : null;
  } catch {
    // No folder, or one that this user cannot read: what is wrong with it is said where it is read.
    return null;
  }
}

/** By what is in the files: other tools have files of such names too. */
function isAllure(files: readonly string[]): boolean {
  const results = files.filter((file) => file.endsWith('-result.json'));
  if (results.length > 0) return results.slice(0, TRIED).some((file) => holds(file, isResult));
  // Where the set-up of all failed, there is no result.
  return files.slice(0, TRIED).some((file) => holds(file, isOfRun));
}

function holds(file: string, isKnown: (found: JsonObject) => boolean): boolean {
  try {
    return isKnown(objectOf(JSON.parse(new TextDecoder().decode(read(file))) as unknown));
  } catch {
    return false;
  }
}

function isOfRun(found: JsonObject): boolean {
  return Array.isArray(found.errors) || (textOf(found.uuid) !== null && Array.isArray(found.children));
}

function isResult(found: JsonObject): boolean {
  const isKnown = textOf(found.uuid) !== null || textOf(found.historyId) !== null;
  return isKnown && ['status', 'stage', 'labels', 'fullName', 'start'].some((name) => name in found);
}

/** What has to be known of a result before the first one is handed on. */
type Listed = { file: string; start: number; stop: number; isFailed: boolean };

/** The entries of a folder, in groups, as those of any other report. Each file is read twice, so that memory stays flat. */
export async function* importAllure(
  { files }: AllureFolder,
  options: ImportOptions,
): AsyncGenerator<readonly ImportedEntry[]> {
  const sink = openSink('allure', options);
  const tests = new Map<string, Listed[]>();
  const failed = new Set<string>();
  const fixtures: FailedFixture[] = [];
  const globals: Reported[] = [];
  let bytes = 0;
  for (const file of files) {
    const found = whole(file, options, sink);
    if (found === null) continue;
    bytes += found.bytes;
    if (file.endsWith('-container.json')) fixtures.push(...failedFixtures(found.object));
    else if (file.endsWith('-globals.json')) globals.push(...globalErrors(found.object));
    else list(found.object, file);
  }

  /** A result without an id of its test is a test of its own. */
  function list(result: JsonObject, file: string): void {
    const { historyId, uuid, start, stop, status } = result;
    const key = textOf(historyId) ?? file;
    const isFailed = statusOf(status) === 'failed';
    const listed = { file, start: timeOf(start), stop: timeOf(stop), isFailed };
    const attempts = tests.get(key);
    if (attempts === undefined) tests.set(key, [listed]);
    else attempts.push(listed);
    const id = textOf(uuid);
    if (id !== null && isFailed) failed.add(id);
    if (tests.size > 1) return;
    const [tool] = labelsOf(result)('framework');
    if (tool !== undefined) sink.facts({ tool });
  }

  const context = contextOf(sink, options);
  // A hook of each test that failed has failed its test, with the same words.
  const ofEach = new Map(globals.filter(isOfEach).map((hook) => [saidBy(hook), hook]));
  const hookErrors = new Map(
    fixtures.flatMap(({ children, failure }) =>
      children.length === 1 ? [[children[0]!, failure.error]] : [],
    ),
  );
  let waiting = 0;
  for (const attempts of tests.values()) {
    attempts.sort(inOrder);
    const results = attempts.map(({ file }) => parsed(file).object);
    const read = results.map((result) => {
      const uuid = textOf(result.uuid) ?? '';
      const judged = withVerdict(result, resultOf(context, result), hookErrors.get(uuid) ?? undefined);
      if (judged.status === 'failed') failed.add(uuid);
      return judged;
    });
    for (const { error } of read) ofEach.delete(error?.message ?? '');
    // Nobody knows which of them was the last one.
    if (attempts.length > 1 && attempts.some(({ start }) => start === 0))
      for (const each of read) sink.results([each]);
    else sink.results(withFlakyWord(results, read), RETRY);
    waiting += attempts.length;
    if (waiting < GROUP) continue;
    waiting = 0;
    yield sink.take();
  }
  const hooks = new Set(ofEach.values());
  const alone = globals.filter((each) => !isOfEach(each) || hooks.has(each));
  for (const failure of [...alone, ...unaccounted(fixtures, failed, globals)]) sink.outside(failure);
  sink.end(bytes);
  yield sink.take();
}

/** Attempts may end in the millisecond in which they began. Of those, a failure was before a pass: no pass is tried again. */
function inOrder(one: Listed, other: Listed): number {
  return one.start - other.start || one.stop - other.stop || Number(other.isFailed) - Number(one.isFailed);
}

/** A test that is called flaky by the report, and passed in the only attempt that it lists. */
function withFlakyWord(results: readonly JsonObject[], attempts: readonly Reported[]): readonly Reported[] {
  const [only] = attempts;
  const isFlaky = objectOf(results[0]?.statusDetails).flaky === true;
  return attempts.length === 1 && only?.status === 'passed' && isFlaky
    ? [unlistedAttempt(only), only]
    : attempts;
}

/** Fixtures that failed, where no test that they were for did, and no error of the run says so. */
function unaccounted(
  fixtures: readonly FailedFixture[],
  failed: ReadonlySet<string>,
  globals: readonly Reported[],
): Reported[] {
  const said = globals.map(({ error }) => error?.message ?? '');
  return fixtures
    .filter(({ children }) => !children.some((child) => failed.has(child)))
    .filter(({ failure }) => !said.some((text) => text.includes(failure.error?.message ?? '\0')))
    .map(({ failure }) => failure);
}

/** `beforeEach hook failed: no database`, and of Cucumber `hook failed: no browser`. */
function isOfEach({ error }: Reported): boolean {
  return /each|^hook$/i.test(error?.hook ?? '');
}

function saidBy({ error }: Reported): string {
  return (error?.message ?? '').slice(`${error?.hook} failed: `.length);
}

function timeOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function contextOf(sink: Sink, options: ImportOptions): ImporterContext {
  return {
    sink,
    options,
    line: () => 1,
    refuse(code, detail) {
      throw new ReportFault(code, detail, null);
    },
  };
}

type Found = { object: JsonObject; bytes: number };

/** A file as far as it can be read. With `partial`, a broken one is left out with a warning. */
function whole(file: string, { partial = false }: ImportOptions, sink: Sink): Found | null {
  try {
    const found = parsed(file);
    if (file.endsWith('-result.json') && !isResult(found.object))
      throw new ImportError('unknown_format', 'This is no result of Allure.', file, 'allure');
    return found;
  } catch (error) {
    if (!(error instanceof ImportError) || !partial) throw error;
    sink.warn('incomplete', error.message, error.place?.line ?? null);
    return null;
  }
}

/** @throws ImportError */
function parsed(file: string): Found {
  const bytes = read(file);
  const text = new TextDecoder().decode(bytes);
  try {
    return { object: objectOf(JSON.parse(text) as unknown), bytes: bytes.length };
  } catch (error) {
    throw placed(text, file, error);
  }
}

/** The error with the place, which the parser of the runtime does not tell. */
function placed(text: string, file: string, cause: unknown): ImportError {
  if (text.trim() === '') return new ImportError('empty_file', 'The file is empty.', file, 'allure');
  try {
    const reader = jsonReader(['$.none'], () => undefined);
    reader.write(text);
    reader.end();
  } catch (error) {
    if (!(error instanceof ReportFault)) throw error;
    return new ImportError(error.code, error.detail, file, 'allure', error.place, { cause: error });
  }
  return new ImportError('malformed', 'The JSON is malformed.', file, 'allure', null, { cause });
}

/** A file at once: results are small, and a stream for each of them would take ten times as long. @throws ImportError */
function read(file: string): Buffer {
  try {
    // Without this flag, a pipe without a writer waits already when it is opened. Windows has neither.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) throw new Error('it is no file');
      if (stats.size > FILE_BYTES) throw new Error(`it has more than ${FILE_BYTES} bytes`);
      return readFileSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const detail = `The file cannot be read: ${(error as Error).message}.`;
    throw new ImportError('cannot_read', detail, file, null, null, { cause: error });
  }
}
