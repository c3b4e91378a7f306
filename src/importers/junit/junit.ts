import { boundedText, type BoundedText } from '../values/bounded-text.js';
import type { ImporterContext } from '../importer.js';
import { outputFiles } from '../item.js';
import { suitePath } from '../values/naming.js';
import { attachmentLines, attachmentOf } from '../report-attachment.js';
import { bounds, unlistedFailures } from '../reported.js';
import { reportedTimes } from '../values/reported-instant.js';
import { saysFailed } from '../says-failed.js';
import { elements, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { addProperty, countOf, textOf, type Attempt, type Case, type Counts, type Suite } from './case.js';
import { errorOf } from './failure.js';
import { addAttachment, noOutput, textsOf } from './output.js';
import { mochaTitles, type MochaTitles } from './mocha-titles.js';
import { recordsOf, reruns, type Reruns } from './reruns.js';
import { attemptsOf, failureOfSuite } from './results.js';
import { hasOwnName, isGradle, toolOf } from './tools.js';
import { errorOfStatus, unlistedIn } from './unlisted.js';

/** The elements that are open, innermost last. */
type Reading = {
  context: ImporterContext;
  suites: Suite[];
  cases: Case[];
  attempts: Attempt[];
  mocha: MochaTitles;
  reruns: Reruns;
};

/** JUnit XML in all its dialects. */
export function junitImporter(context: ImporterContext): XmlHandler & { end(): void } {
  const reading: Reading = {
    context,
    suites: [],
    cases: [],
    attempts: [],
    mocha: mochaTitles(),
    reruns: reruns(context.sink.results),
  };
  return {
    ...elements((tag, attributes) => open(reading, tag, attributes)),
    // What is still open is cut off.
    end() {
      if ((reading.cases.at(-1)?.failures.length ?? 0) > 0) closeCase(reading);
      reading.reruns.flush();
      for (; reading.suites.length > 0; reading.suites.pop()) addUnlisted(reading);
    },
  };
}

function open(reading: Reading, tag: string, attributes: Attributes): Element | null {
  switch (tag) {
    case 'testsuites':
    case 'testsuite':
      return openSuite(reading, tag, attributes);
    case 'testcase':
      return openCase(reading, attributes);
    case 'failure':
    case 'error':
      return openFailure(reading, tag, attributes);
    case 'warning':
      // PHPUnit up to 9 fails for it, such as for a data provider that is wrong.
      return attributes.type?.startsWith('PHPUnit') === true
        ? openFailure(reading, 'failure', attributes)
        : null;
    case 'skipped':
    case 'ignored':
    case 'disabled':
      return openSkipped(reading, attributes);
    case 'rerunFailure':
    case 'rerunError':
      return openAttempt(reading, attributes, 'reruns');
    case 'flakyFailure':
    case 'flakyError':
      return openAttempt(reading, attributes, 'flaky');
    case 'stackTrace':
      return openStackTrace(reading);
    case 'system-out':
      return openOutput(reading, 'stdout');
    case 'system-err':
      return openOutput(reading, 'stderr');
    case 'property':
      return openProperty(reading, attributes);
    default:
      return null;
  }
}

function openSuite(reading: Reading, tag: string, attributes: Attributes): Element | null {
  const { context, suites, mocha } = reading;
  const { sink, options } = context;
  const parent = suites.at(-1);
  const name = tag === 'testsuites' ? '' : textOf(attributes.name);
  sink.facts(reportedTimes(sink, { start: attributes.timestamp }, context.line()));
  const tool = toolOf(tag, attributes) ?? parent?.tool ?? null;
  if (tool !== null) sink.facts({ tool });
  if (tool === 'mocha') mocha.opened(name);
  const suite: Suite = {
    name,
    path: suitePath([...suites.map((each) => each.name), name], options.checkout),
    file:
      textOf(attributes.file ?? attributes.filepath) ||
      (parent?.file ?? '') ||
      (parent?.fileOfSiblings ?? ''),
    hostname: textOf(attributes.hostname),
    hostIsMachine: parent?.hostIsMachine === true || tool !== null || hasOwnName(tag, attributes),
    fileOfSiblings: '',
    tool,
    hasId: attributes.id !== undefined,
    output: noOutput(),
    counted: { failures: countOf(attributes.failures), errors: countOf(attributes.errors) },
    found: { failures: 0, errors: 0 },
    saysFailed: saysFailed(textOf(attributes.status)) || saysFailed(textOf(attributes.result)),
    retried: 0,
    isGradle: isGradle(tag, attributes),
    isRoot: tag === 'testsuites',
    isGo: false,
    cases: 0,
    tests: attributes.tests === undefined ? null : countOf(attributes.tests),
    at: context.line(),
  };
  suites.push(suite);
  return {
    close() {
      reading.reruns.flush();
      addUnlisted(reading);
      suites.pop();
      const ofParent = suites.at(-1);
      if (ofParent !== undefined && suite.name === 'Root Suite') ofParent.fileOfSiblings = suite.file;
      const files = [...suite.output.attachments];
      if (options.output !== 'none') files.unshift(...outputFiles(textsOf(suite.output)));
      if (files.length > 0) sink.attachments(suite.name === '' ? null : suite.name, files);
    },
  };
}

function openCase(reading: Reading, attributes: Attributes): Element | null {
  const { context, cases } = reading;
  const test: Case = {
    attributes,
    at: context.line(),
    failures: [],
    fileOfFailure: null,
    skipped: null,
    flaky: [],
    reruns: [],
    output: noOutput(),
    properties: new Map(),
  };
  cases.push(test);
  return { close: () => closeCase(reading) };
}

function closeCase({ context, suites, cases, mocha, reruns }: Reading): void {
  const test = cases.pop()!;
  const attempts = attemptsOf(test, suites.at(-1), { ...context, mocha });
  const isFailed = attempts.at(-1)!.status === 'failed';
  if (isFailed) {
    // Some tools count each failure of a test, others each test.
    const errors = test.failures.filter(({ tag }) => tag === 'error').length;
    addFailures(suites, { failures: Math.max(test.failures.length, 1) - errors, errors });
  }
  for (const suite of suites) suite.retried += test.flaky.length + test.reruns.length;
  for (const suite of suites) suite.cases += 1;
  const suite = suites.at(-1);
  reruns.add(attempts, recordsOf(test, attempts, suite), suite);
}

function openFailure(
  { context, suites, cases }: Reading,
  tag: string,
  attributes: Attributes,
): Element | null {
  const test = cases.at(-1);
  const text = boundedText(bounds.stack);
  const at = context.line();
  const failure = { tag, message: textOf(attributes.message), type: textOf(attributes.type), text: '' };
  // At once: a report may be cut off inside of it.
  test?.failures.push(failure);
  const { file, line: lineOfFailure } = attributes;
  if (test !== undefined && file !== undefined) test.fileOfFailure ??= { file, line: textOf(lineOfFailure) };
  return {
    text: text.add,
    close() {
      failure.text = text.text();
      warnOfCut(context, text, at);
      if (test !== undefined) return;
      context.sink.outside(failureOfSuite(errorOf([failure], ''), at, suites.at(-1)));
      addFailures(suites, tag === 'error' ? { failures: 0, errors: 1 } : { failures: 1, errors: 0 });
    },
  };
}

function openSkipped({ cases }: Reading, attributes: Attributes): Element | null {
  const test = cases.at(-1);
  if (test === undefined) return null;
  const text = boundedText(bounds.short);
  return {
    text: text.add,
    close() {
      const message = textOf(attributes.message) || text.text().trim();
      test.skipped ??= { type: textOf(attributes.type), message };
    },
  };
}

function openAttempt(
  { cases, attempts }: Reading,
  attributes: Attributes,
  list: 'flaky' | 'reruns',
): Element | null {
  const test = cases.at(-1);
  if (test === undefined) return null;
  const text = boundedText(bounds.stack);
  const attempt: Attempt = {
    message: textOf(attributes.message),
    type: textOf(attributes.type),
    text: '',
    time: attributes.time,
    output: noOutput(),
  };
  attempts.push(attempt);
  return {
    text: text.add,
    close() {
      attempts.pop();
      if (attempt.text === '') attempt.text = text.text();
      test[list].push(attempt);
    },
  };
}

function openStackTrace({ attempts }: Reading): Element | null {
  const attempt = attempts.at(-1);
  if (attempt === undefined) return null;
  const text = boundedText(bounds.stack);
  return {
    text: text.add,
    close() {
      attempt.text = text.text();
    },
  };
}

function openOutput(
  { context, suites, cases, attempts }: Reading,
  stream: 'stdout' | 'stderr',
): Element | null {
  const { output } = attempts.at(-1) ?? cases.at(-1) ?? suites.at(-1) ?? { output: noOutput() };
  const at = context.line();
  const text = (output[stream] ??= boundedText(bounds.output));
  const scan =
    context.options.attachmentsInOutput === true
      ? attachmentLines((path) => addAttachment(output, attachmentOf(path)))
      : () => {};
  return {
    text(piece) {
      text.add(piece);
      scan(piece);
    },
    close: () => warnOfCut(context, text, at),
  };
}

function openProperty({ suites, cases }: Reading, { name = '', value }: Attributes): Element | null {
  const test = cases.at(-1);
  if (name === 'go.version' && test === undefined) for (const suite of suites) suite.isGo = true;
  const output = (test ?? suites.at(-1))?.output;
  if (output === undefined) return null;
  const text = boundedText(bounds.short);
  return {
    text: value === undefined ? text.add : undefined,
    close() {
      const written = value ?? text.text().trim();
      if (/^attachment(?![a-z])/i.test(name)) addAttachment(output, attachmentOf(written));
      else if (test !== undefined) addProperty(test.properties, name, written);
    },
  };
}

/** The innermost suite fails where it counts more failures than it has in it, or says that it failed, and has none. */
function addUnlisted({ context, suites }: Reading): void {
  const suite = suites.at(-1)!;
  const missing = unlistedIn(suite);
  const error = missing > 0 ? unlistedFailures(missing) : errorOfStatus(suite);
  if (error === null) return;
  context.sink.outside(failureOfSuite(error, suite.at, suite), Math.max(missing, 0));
  addFailures(suites, { failures: Math.max(missing, 1), errors: 0 });
}

function addFailures(suites: readonly Suite[], { failures, errors }: Counts): void {
  for (const { found } of suites) {
    found.failures += failures;
    found.errors += errors;
  }
}

function warnOfCut({ sink }: ImporterContext, text: BoundedText, at: number): void {
  if (text.isCut()) sink.warn('cut_text', 'A long text has only its beginning and its end.', at);
}
