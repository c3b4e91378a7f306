/** The name of a test in Allure's results, where it can be as other reports of the framework have it. */
import { oneLine } from '../../test-name.js';
import { listOf, textOf, type JsonObject } from '../json/values.js';
import { reportedName, suitePath } from '../values/naming.js';
import { parametersOf, type Labels } from './fields.js';

export type AllureName = { name: string; suite: string | null; file: string | null; project: string };

export function nameOf(result: JsonObject, labels: Labels, checkout: string | undefined): AllureName {
  const fullName = textOf(result.fullName) ?? '';
  const titles = listOf(result.titlePath).flatMap((each) => textOf(each) ?? []);
  const { suites, className, project } = placeOf(labels, fullName, titles);
  const file = fileOf(fullName, titles);
  const written = methodOrTitle(textOf(result.name) ?? fullName, labels('testMethod')[0]);
  const name = reportedName(
    {
      suites: suitePath(suites, checkout),
      className,
      name: withParameters(written, result, labels),
      project,
    },
    checkout,
  );
  return { name, suite: suites.at(-1) ?? (className || null), file, project };
}

type Place = { suites: readonly string[]; className: string; project: string };

/** What is around a test. Labels are what an adapter makes of it; the way through the suites is newer, and not in all. */
function placeOf(labels: Labels, fullName: string, titles: readonly string[]): Place {
  const first = (name: string) => labels(name)[0] ?? '';
  const suites = [first('parentSuite'), first('suite'), ...first('subSuite').split(' > ')].filter(
    (suite) => suite !== '',
  );
  const plain = { suites, className: '', project: '' };
  switch (first('framework').toLowerCase()) {
    case 'pytest':
      return { ...plain, suites: [], className: fullName.split('#')[0]! };
    case 'robotframework':
      return titles.length > 0 ? { ...plain, suites: titles } : plain;
    case 'playwright':
      return { ...plain, suites: suites.slice(1), project: first('parentSuite') };
    default: {
      const testClass = first('testClass');
      if (testClass !== '') return { ...plain, suites: [], className: testClass };
      return suites.length > 0 ? plain : { ...plain, suites: [first('feature') || (titles.at(-1) ?? '')] };
    }
  }
}

/** JUnit's own name of a method is `pays()`; its reports have `pays`. */
function methodOrTitle(title: string, method: string | undefined): string {
  return method !== undefined && title === `${method}()` ? method : title;
}

/**
 * Allure knows a test by its parameters too, so tests that differ in them alone need another name: with one, each of them
 * would be flaky where another failed. Most frameworks have the values in the title.
 */
function withParameters(title: string, result: JsonObject, labels: Labels): string {
  const missing = missingIn(title, result, labels);
  if (missing.length === 0) return title;
  return oneLine(`${title} [${missing.map(({ name, value }) => `${name}=${value}`).join(', ')}]`);
}

function missingIn(title: string, result: JsonObject, labels: Labels): { name: string; value: string }[] {
  const parameters = parametersOf(result);
  if (parameters.length === 0) return parameters;
  const missing = parameters.filter(({ value }) => !title.includes(unquoted(value)));
  switch (labels('framework')[0]) {
    // It has all of them in brackets, but escapes some.
    case 'pytest':
      return title.startsWith(`${textOf(result.fullName)?.split('#').at(-1)}[`) ? [] : missing;
    // Its project stands behind the name, and repetitions are no other tests.
    case 'playwright':
      return missing.filter(({ name }) => name !== 'Project' && name !== 'Repetition');
    default:
      return missing;
  }
}

/** Adapters in Python write values as Python does: a text in quotation marks. */
function unquoted(value: string): string {
  return /^(['"]).*\1$/.test(value) ? value.slice(1, -1) : value;
}

const source = String.raw`[^:#]*\.(?:[cm]?[jt]sx?|py|rb|php|feature|robot|java|kt|cs|go|swift|dart|exs?)`;
/** `package:folder/file.js: suite > title`, `folder/file.feature#title`. */
const fileOfName = new RegExp(`^(?:[^:/#]+:)?(${source})[:#]`);
const isFile = new RegExp(`^${source}$`);

function fileOf(fullName: string, titles: readonly string[]): string | null {
  const named = fileOfName.exec(fullName.slice(0, 2_048))?.[1];
  if (named !== undefined) return named;
  const at = titles.findIndex((title) => title.length < 512 && isFile.test(title));
  return at === -1 ? null : titles.slice(0, at + 1).join('/');
}
