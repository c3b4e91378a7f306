/**
 * The results of Allure: a file for each attempt of a test, beside each other in a folder. They are one report, since only
 * all of them together say which results are attempts of one test, and which fixture failed without a test that did.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ImportedEntry, ImportOptions } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import { unlistedAttempt, type Reported } from '../reported.js';
import { ReportFault } from '../report.js';
import { sink as openSink, type Sink } from '../sink.js';
import { heldAttempts, type Attempt, type HeldAttempts } from './attempts.js';
import { labelsOf, statusOf } from './fields.js';
import { isAllure, whole } from './files.js';
import { failedFixtures, globalErrors, type FailedFixture } from './fixtures.js';
import { errorOf, resultOf } from './result.js';
import { testsAmong, toldOf } from './retries.js';
import { withVerdict } from './scenario.js';

/** The names that Allure gives to what it reads. */
const REPORTS = /-(?:result|container|globals)\.json$/;
/** Other files that adapters, plugins and people put beside them. */
const BESIDE =
  /(?:-attachment(?:\.[^.]*)?|^(?:categories|executor|testrun|history)\.json|^history\.jsonl|^environment\.(?:properties|xml))$/;
const RETRY = 'Allure writes each attempt of a test as a result of one historyId';

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

/** The names of Allure's files in a folder, where it has results. */
export function allureNamesIn(folder: string): { names: string[]; hasLinks: boolean } | null {
  try {
    const found = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => REPORTS.test(name));
    const names = found.map(({ name }) => name);
    return isAllure(names, folder) ? { names, hasLinks: found.some((each) => each.isSymbolicLink()) } : null;
  } catch {
    // No folder, or one that this user cannot read: what is wrong with it is said where it is read.
    return null;
  }
}

/** The entries of a folder, in groups, as those of any other report. Each file is read once. */
export async function* importAllure(
  { files }: AllureFolder,
  options: ImportOptions,
): AsyncGenerator<readonly ImportedEntry[]> {
  const sink = openSink('allure', options);
  const aside = asideOf(files, options, sink);
  const held = heldAttempts();
  try {
    const bytes = aside.bytes + readResults(files, options, sink, aside, held);
    for await (const tests of held.tests()) {
      for (const attempts of tests) {
        const results = attempts.map(({ result }) => result);
        // Which of them was the last one is not known.
        if (attempts.length > 1 && attempts.some(({ start }) => start === 0))
          for (const each of results) sink.results([each]);
        else for (const test of testsAmong(attempts)) sink.results(withFlakyWord(test), RETRY);
      }
      yield sink.take();
    }
    for (const failure of aside.unaccounted()) sink.outside(failure);
    sink.end(bytes);
    yield sink.take();
  } finally {
    held.close();
  }
}

/** Puts the results of the files into `held`, and returns the bytes that were read. */
function readResults(
  files: readonly string[],
  options: ImportOptions,
  sink: Sink,
  aside: Aside,
  held: HeldAttempts,
): number {
  const context = contextOf(sink, options);
  let bytes = 0;
  let count = 0;
  for (const file of files) {
    if (isAside(file)) continue;
    const found = whole(file, options, sink);
    if (found === null) continue;
    bytes += found.bytes;
    count += 1;
    const { object } = found;
    const labels = labelsOf(object);
    const [tool] = labels('framework');
    if (count === 1 && tool !== undefined) sink.facts({ tool });
    const uuid = textOf(object.uuid) ?? '';
    const read = resultOf(context, object, labels);
    const result = withVerdict(object, labels, read, aside.hookErrors.get(uuid) ?? undefined);
    const isFailed = statusOf(object.status) === 'failed';
    if (isFailed || result.status === 'failed') aside.failed(uuid, object, result, tool);
    const told = toldOf(object, labels, result, () => errorOf(object));
    held.add({
      // A result without an id of its test is a test of its own.
      test: textOf(object.historyId),
      result,
      start: timeOf(object.start),
      stop: timeOf(object.stop),
      isFailed: isFailed || told.tried !== null,
      ...told,
      isFlaky: objectOf(object.statusDetails).flaky === true,
    });
  }
  return bytes;
}

/** What files say beside the results: failures of fixtures and of the run. */
type Aside = {
  bytes: number;
  /** Of hooks of one test, by its uuid. */
  hookErrors: ReadonlyMap<string, Reported['error']>;
  failed(uuid: string, written: JsonObject, result: Reported, tool: string | undefined): void;
  /** Failures that no result has that was seen. */
  unaccounted(): Reported[];
};

function isAside(file: string): boolean {
  return file.endsWith('-container.json') || file.endsWith('-globals.json');
}

/** They are read before the results, so that of the results no more is kept than they ask for. */
function asideOf(files: readonly string[], options: ImportOptions, sink: Sink): Aside {
  const fixtures: FailedFixture[] = [];
  const globals: Reported[] = [];
  let bytes = 0;
  for (const file of files) {
    const found = isAside(file) ? whole(file, options, sink) : null;
    if (found === null) continue;
    bytes += found.bytes;
    if (file.endsWith('-container.json')) fixtures.push(...failedFixtures(found.object));
    else globals.push(...globalErrors(found.object));
  }
  // A hook that failed a test has failed it with the same words.
  const hooks = new Set(globals.map(saidBy));
  const known = new Set(fixtures.flatMap(({ children, names }) => [...children, ...names]));
  const failed = new Set<string>();
  const inTests = new Map<string, string | undefined>();
  return {
    bytes,
    hookErrors: new Map(
      fixtures.flatMap((fixture) =>
        fixture.children.length === 1 ? [[fixture.children[0]!, fixture.failure.error]] : [],
      ),
    ),
    failed(uuid, { fullName }, { error }, tool) {
      for (const name of [uuid, textOf(fullName) ?? '']) if (known.has(name)) failed.add(name);
      const message = error?.message ?? '';
      if (hooks.has(message)) inTests.set(message, tool);
    },
    unaccounted() {
      const alone = globals.filter((each) => {
        const message = saidBy(each);
        return !(inTests.has(message) && failsTests(each, inTests.get(message)));
      });
      return [...alone, ...unaccounted(fixtures, failed, globals)];
    },
  };
}

/** A test that is called flaky by the report, and passed in the only attempt that it lists. */
function withFlakyWord(attempts: readonly Attempt[]): readonly Reported[] {
  const [{ result, isFlaky }] = attempts as readonly [Attempt];
  return attempts.length === 1 && result.status === 'passed' && isFlaky
    ? [unlistedAttempt(result), result]
    : attempts.map((each) => each.result);
}

/** Fixtures that failed, where no test that they were for did, and no error of the run says so. */
function unaccounted(
  fixtures: readonly FailedFixture[],
  failed: ReadonlySet<string>,
  globals: readonly Reported[],
): Reported[] {
  const said = globals.map(({ error }) => error?.message ?? '');
  return fixtures
    .filter(({ children, names }) => ![...children, ...names].some((name) => failed.has(name)))
    .filter(({ failure }) => !said.some((text) => text.includes(failure.error?.message ?? '\0')))
    .map(({ failure }) => failure);
}

/** `beforeEach hook failed: no database`, and of Cucumber `hook failed: no browser`. */
function failsTests({ error }: Reported, tool: string | undefined): boolean {
  const hook = error?.hook ?? '';
  if (tool === 'playwright') return hook.endsWith(' hook');
  return /each|^hook$/i.test(hook) || (tool === 'jest' && hook === 'beforeAll');
}

function saidBy({ error }: Reported): string {
  return (error?.message ?? '').slice(`${error?.hook} failed: `.length);
}

function timeOf(value: unknown): number {
  return Number.isFinite(value) ? (value as number) : 0;
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
