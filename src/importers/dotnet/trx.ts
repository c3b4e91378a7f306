import { NO_NAME } from '../../test-name.js';
import { boundedText, type BoundedText } from '../values/bounded-text.js';
import type { ReportAttachment } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { reportedName } from '../values/naming.js';
import { durationFromClock } from '../values/numbers.js';
import { attachmentOf } from '../report-attachment.js';
import { bounds, errorSaying, reported, unlistedFailures, type Reported } from '../reported.js';
import { readDuration } from '../values/reported-duration.js';
import { reportedInstant, reportedTimes } from '../values/reported-instant.js';
import { tagsFrom } from '../tags.js';
import { elements, textElement, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { outcomeIn, saysRunFailed, statusOf, typeOf } from './trx-outcome.js';

/** The classes of the tests come after the results, so the results wait for them, up to this many bytes. */
const WAITING = 256 * 1_024 * 1_024;
/** Of the definition of one test. */
const MOST_TAGS = 50;

type Result = {
  attributes: Attributes;
  at: number;
  hasInner: boolean;
  innerFailed: boolean;
  message: string;
  /** A text that the runner added to the result. It is no error, and stands in where the result has none. */
  note: string;
  stack: string;
  stdout: string;
  stderr: string;
  files: string[];
};

type Definition = { className: string; owner: string | null; tags: string[] };

type Reading = {
  context: ImporterContext;
  /** The results that are open, innermost last. */
  open: Result[];
  waiting: Result[];
  waitingBytes: number;
  definitions: Map<string, Definition>;
  defined: Definition | null;
  deployment: string;
  filesOfRun: string[];
  /** What the report says of the run as a whole. */
  outcome: string;
  /** The tests that it counts as failed, and the results that say so: rows and their parents, since some writers count both. */
  counted: number;
  listed: number;
  errors: BoundedText;
  /** Whether the message of the run that is open is an error. */
  isError: boolean;
};

/** Test results of Visual Studio and `dotnet test`. */
export function trxImporter(context: ImporterContext): XmlHandler & { end(): void } {
  const { sink } = context;
  const reading: Reading = {
    context,
    open: [],
    waiting: [],
    waitingBytes: 0,
    definitions: new Map(),
    defined: null,
    deployment: '',
    filesOfRun: [],
    outcome: '',
    counted: 0,
    listed: 0,
    errors: boundedText(bounds.message),
    isError: false,
  };
  sink.facts({ tool: 'vstest' });
  return {
    ...elements((tag, attributes, parent) => element(reading, tag, attributes, parent)),
    end() {
      for (const result of reading.waiting.splice(0)) {
        const definition = reading.definitions.get(result.attributes.testId ?? '');
        sink.results([resultOf(context, result, definition)]);
      }
      const run = failureOfRun(reading);
      if (run !== null) sink.outside(run, Math.max(0, reading.counted - reading.listed));
      const files = attachmentsOf(reading.filesOfRun);
      if (files.length > 0) sink.attachments(null, files);
    },
  };
}

function element(reading: Reading, tag: string, attributes: Attributes, parent: string): Element | null {
  const { defined, deployment, filesOfRun } = reading;
  const result = reading.open.at(-1);
  switch (tag) {
    case 'UnitTestResult':
    case 'TestResultAggregation':
    case 'GenericTestResult':
    case 'ManualTestResult':
    case 'WebTestResult':
      return openResult(reading, attributes);
    case 'Message':
    case 'StackTrace':
      return result === undefined ? null : openText(result, tag, parent);
    case 'StdOut':
      return result === undefined ? null : textElement(bounds.output, (text) => (result.stdout = text));
    case 'StdErr':
      return result === undefined ? null : textElement(bounds.output, (text) => (result.stderr = text));
    case 'ResultFile':
      result?.files.push(pathIn(deployment, result.attributes.relativeResultsDirectory, attributes.path));
      return null;
    case 'A':
      if (filesOfRun.length < bounds.attachmentsOfReport)
        filesOfRun.push(pathIn(deployment, '', attributes.href));
      return null;
    case 'UnitTest':
      return openDefinition(reading, attributes);
    case 'TestMethod':
      if (defined !== null) defined.className = classOf(attributes.className);
      return null;
    case 'Owner':
      if (defined !== null) defined.owner ??= attributes.name ?? null;
      return null;
    case 'TestCategoryItem':
      if (defined !== null && defined.tags.length < MOST_TAGS)
        defined.tags.push(attributes.TestCategory ?? '');
      return null;
    case 'Deployment':
      reading.deployment = attributes.runDeploymentRoot ?? '';
      return null;
    case 'ResultSummary':
      reading.outcome = attributes.outcome ?? '';
      return null;
    case 'Counters':
      reading.counted = ['failed', 'error', 'timeout', 'aborted', 'disconnected'].reduce(
        (sum, name) => sum + (Number(attributes[name]) || 0),
        0,
      );
      return null;
    case 'RunInfo':
      reading.isError = attributes.outcome?.toLowerCase() === 'error';
      return null;
    case 'Text':
      if (parent !== 'RunInfo' || !reading.isError) return null;
      return textElement(bounds.message, (text) => {
        if (text.trim() !== '' && !OF_A_TEST.test(text.trim())) reading.errors.add(`${text.trim()}\n`);
      });
    case 'Times':
      reading.context.sink.facts(
        reportedTimes(
          reading.context.sink,
          { start: attributes.start, end: attributes.finish },
          reading.context.line(),
        ),
      );
      return null;
    default:
      return null;
  }
}

/** `TextMessages` come after the error, and their messages are not that of the error. */
function openText(result: Result, tag: 'Message' | 'StackTrace', parent: string): Element | null {
  if (parent === 'TextMessages' && tag === 'Message')
    return textElement(bounds.message, (text) => (result.note ||= text));
  if (parent !== 'ErrorInfo') return null;
  return tag === 'Message'
    ? textElement(bounds.message, (text) => (result.message = text))
    : textElement(bounds.stack, (text) => (result.stack = text));
}

function openResult(reading: Reading, attributes: Attributes): Element {
  const { context, open, waiting } = reading;
  const outer = open.at(-1);
  // Only a result that is there counts instead of its parent: the list of them can be empty.
  if (outer !== undefined) outer.hasInner = true;
  const result = {
    attributes,
    at: context.line(),
    hasInner: false,
    innerFailed: false,
    message: '',
    note: '',
    stack: '',
    stdout: '',
    stderr: '',
    files: [],
  };
  open.push(result);
  return {
    close() {
      open.pop();
      const failed = statusOf(outcomeIn(attributes)) === 'failed';
      if (failed) reading.listed += 1;
      if (failed && outer !== undefined) outer.innerFailed = true;
      // A parent has the results of its rows inside, which count instead of it, but for a failure of its own.
      if (result.hasInner && (!failed || result.innerFailed)) return;
      reading.waitingBytes += bytesOf(result);
      if (reading.waitingBytes > WAITING)
        context.refuse('too_large', `The results have more than ${WAITING} bytes.`);
      waiting.push(result);
    },
  };
}

/** xUnit writes such a text beside the result of each test that failed. */
const OF_A_TEST = /^\[xUnit\.net [\d:.]+\].* \[FAIL\]$/;

/** Such as a test host that crashed, or a policy that the run does not meet. */
function failureOfRun({ outcome, errors, counted, listed }: Reading): Reported | null {
  const text = errors.text().trim();
  if (text !== '') return failureSaying(errorSaying(text));
  const missing = counted - listed;
  if (missing > 0) return failureSaying(unlistedFailures(missing));
  if (listed > 0 || !saysRunFailed(outcome)) return null;
  return failureSaying(errorSaying(`The report says ${outcome} of the whole run, and no test failed.`));
}

function failureSaying(error: Reported['error']): Reported {
  return { ...reported('test run', 'failed', null), error };
}

function openDefinition(reading: Reading, { id = '' }: Attributes): Element {
  const definition: Definition = { className: '', owner: null, tags: [] };
  reading.defined = definition;
  return {
    close() {
      reading.definitions.set(id, definition);
      reading.defined = null;
    },
  };
}

function resultOf(
  { sink, options }: ImporterContext,
  result: Result,
  definition: Definition | undefined,
): Reported {
  const { attributes, at } = result;
  const name = reportedName(
    { suites: [], className: definition?.className ?? '', name: attributes.testName ?? '' },
    options.checkout,
  );
  if (name === NO_NAME) sink.warn('unnamed', 'A result has no name.', at);
  const outcome = outcomeIn(attributes);
  const status = statusOf(outcome);
  const message = result.message.trim() || result.note.trim() || outcome;
  return {
    ...reported(name, status, at),
    durationMs: attributes.duration
      ? readDuration(sink, durationFromClock(attributes.duration), attributes.duration, at)
      : null,
    startedAt: reportedInstant(sink, attributes.startTime, at),
    error:
      status === 'failed'
        ? { message, type: typeOf(outcome), stack: result.stack || null, hook: null }
        : null,
    reason: status === 'skipped' ? message : null,
    suite: definition?.className || null,
    owner: definition?.owner ?? null,
    extra: tagsFrom(definition?.tags ?? []),
    output: { stdout: result.stdout, stderr: result.stderr },
    attachments: attachmentsOf(result.files),
  };
}

/** Without the assembly: `Space.Class, Assembly, Version=1.0.0.0`. */
function classOf(written: string | undefined): string {
  return (written ?? '').split(',')[0]!.trim();
}

/** Files are in the folder `In` of the deployment. Without a deployment, the path is taken as it is. */
function pathIn(deployment: string, folder: string | undefined, path = ''): string {
  if (deployment === '' || /^(?:[A-Za-z]:)?[\\/]/.test(path)) return path;
  return [deployment, 'In', folder ?? '', path].filter((part) => part !== '').join('/');
}

function attachmentsOf(paths: readonly string[]): ReportAttachment[] {
  return paths.flatMap((path) => attachmentOf(path) ?? []);
}

function bytesOf({ message, note, stack, stdout, stderr }: Result): number {
  return 1_000 + 2 * (message.length + note.length + stack.length + stdout.length + stderr.length);
}
