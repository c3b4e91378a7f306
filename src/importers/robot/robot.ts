/** Robot Framework's `output.xml`: suites in each other, tests, and the keywords that they ran. */
import { NO_NAME } from '../../test-name.js';
import { boundedText, type BoundedText } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { reportedName, suitePath } from '../values/naming.js';
import { bounds, errorSaying, reported, unlistedFailures, type Reported } from '../reported.js';
import { saysFailed } from '../says-failed.js';
import { stepsReader, type StepsReader } from '../steps.js';
import { tagsFrom } from '../tags.js';
import { elements, textElement, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { attemptsOf, isMerged, isRetriedLater, plain, RETRY, withoutRetry } from './attempts.js';
import { dryRun, inside, type DryRun, type Ran } from './dry-run.js';
import { isStep, stepName } from './keywords.js';
import { pictures } from './pictures.js';
import { timesOf } from './times.js';

/** A test, or a suite with its set-up and tear-down. */
type Node = {
  attributes: Attributes;
  at: number;
  steps: StepsReader;
  tags: string[];
  output: BoundedText;
  files: ReportAttachment[];
  /** Of a suite: tests inside that failed. */
  failedInside: number;
  /** Of a suite: a test inside says that the tear-down of a suite around it failed, as `rebot` writes it. */
  isTearDownSaid: boolean;
  dryRun: DryRun;
  status: Attributes;
  message: string;
};

type Keyword = Ran & {
  tag: string;
  attributes: Attributes;
  args: string[];
  status: Attributes;
  message: string;
};

const MOST_TAGS = 100;
const MOST_ARGUMENTS = 10;
/** What a test that was skipped, or did not run, has for a status. */
const KNOWN = /^(?:SKIP|NOT[_ ]RUN)$/i;
const HTML = '*HTML*';

export function robotImporter({ sink, options, line }: ImporterContext): XmlHandler & { end(): void } {
  const suites: Node[] = [];
  const keywords: Keyword[] = [];
  let test: Node | null = null;
  let before: Reported[] = [];
  let failedTests = 0;
  let counted = 0;
  let isTearDownFailed = false;
  sink.facts({ tool: 'robotframework' });

  function element(tag: string, attributes: Attributes, parent: string): Element | null {
    const node = test ?? suites.at(-1);
    if (tag === 'suite') return parent === 'robot' || parent === 'suite' ? openSuite(attributes) : null;
    if (tag === 'stat') return parent === 'total' ? total(attributes) : null;
    if (node === undefined) return null;
    if (tag === 'test') return openTest(attributes);
    if (isStep(tag)) return openKeyword(node, tag, attributes);
    const keyword = keywords.at(-1);
    switch (tag) {
      case 'arg':
        if (keyword === undefined || keyword.args.length >= MOST_ARGUMENTS) return null;
        return textElement(100, (text) => keyword.args.push(text));
      case 'msg':
        return textElement(bounds.message, (text) => message(node, attributes, text));
      case 'tag':
        // A keyword has tags of its own.
        if (test === null || keyword !== undefined || node.tags.length >= MOST_TAGS) return null;
        return textElement(bounds.short, (text) => node.tags.push(text));
      case 'status':
        return status(parent === 'test' || parent === 'suite' ? node : keyword, attributes);
      default:
        return null;
    }
  }

  function status(of: Node | Keyword | undefined, attributes: Attributes): Element | null {
    if (of === undefined) return null;
    of.status = attributes;
    return textElement(bounds.message, (text) => (of.message = text.trim()));
  }

  function message(node: Node, { level = '', html }: Attributes, text: string): void {
    if (html !== undefined && html !== 'false' && html !== 'no') node.files.push(...pictures(text));
    else if (level !== 'TRACE' && level !== 'DEBUG') node.output.add(`${level}: ${text}\n`);
  }

  function openKeyword(node: Node, tag: string, attributes: Attributes): Element {
    const keyword: Keyword = { tag, attributes, args: [], status: {}, message: '', ...inside() };
    keywords.push(keyword);
    node.steps.open(stepName(tag, attributes, []));
    return {
      close() {
        keywords.pop();
        node.dryRun.closed(keyword, keywords.at(-1) ?? null);
        const ended = statusOf(keyword.status);
        node.steps.close({
          name: stepName(tag, attributes, keyword.args),
          status: ended === 'known_fail' ? 'failed' : ended,
          durationMs: timesOf(sink, keyword.status, line()).durationMs,
          error: keyword.message,
        });
      },
    };
  }

  function openSuite(attributes: Attributes): Element {
    const suite = opened(attributes, line());
    suites.push(suite);
    return {
      close() {
        suites.pop();
        closeSuite(suite);
      },
    };
  }

  /** A suite fails by its tests, by its set-up, which each test then says, or by its tear-down, which none does. */
  function closeSuite(suite: Node): void {
    before = [];
    const around = suites.at(-1);
    if (around !== undefined) {
      around.failedInside += suite.failedInside;
      around.isTearDownSaid ||= suite.isTearDownSaid;
    }
    if (statusOf(suite.status) !== 'failed') return;
    const isTearDown = /suite teardown failed:/i.test(suite.message);
    if (suite.failedInside > 0 && (!isTearDown || suite.isTearDownSaid)) return;
    isTearDownFailed = true;
    if (around !== undefined) around.failedInside += 1;
    const name = nameOf([...suites, suite], '');
    sink.outside({
      ...reported(name, 'failed', suite.at),
      ...timesOf(sink, suite.status, suite.at),
      error: {
        ...errorSaying(suite.message || 'The suite failed, and no test in it did.'),
        hook: isTearDown ? 'suite teardown' : 'suite',
      },
      file: suite.attributes.source ?? null,
      suite: suite.attributes.name ?? null,
      extra: suite.steps.fields(),
      output: { stdout: suite.output.text(), stderr: '' },
      attachments: suite.files,
    });
  }

  function openTest(attributes: Attributes): Element {
    const opening = opened(attributes, line());
    test = opening;
    return {
      close() {
        test = null;
        closeTest(opening);
      },
    };
  }

  function closeTest(ended: Node): void {
    const result = resultOf(ended);
    if (before[0] !== undefined && before[0].name !== result.name) {
      sink.results(before, RETRY);
      before = [];
    }
    const attempts = [...before, ...attemptsOf(result, ended.message, before.length > 0)];
    before = [];
    if (/parent suite teardown failed:/i.test(ended.message))
      for (const suite of suites.slice(-1)) suite.isTearDownSaid = true;
    if (isRetriedLater(result.status, ended.message)) {
      before = attempts;
      return;
    }
    const status = sink.results(attempts, RETRY);
    if (status !== 'failed' && status !== 'known_fail') return;
    // Robot counts a failure that is not critical, too.
    failedTests += 1;
    for (const suite of suites.slice(-1)) suite.failedInside += 1;
  }

  function resultOf(ended: Node): Reported {
    const suite = suites.at(-1);
    const isDry = ended.dryRun.isDry() && statusOf(ended.status) === 'passed';
    const status = isDry ? 'skipped' : statusOf(ended.status);
    const message = textOf(ended.message);
    const name = nameOf(suites, ended.attributes.name ?? '');
    const word = ended.status.status ?? '';
    if (status === 'skipped' && !isDry && !KNOWN.test(word))
      sink.warn(
        'unknown_status',
        `The status ${JSON.stringify(word.slice(0, 50))} is read as skipped.`,
        ended.at,
      );
    if (name === NO_NAME) sink.warn('unnamed', 'A test has no name.', ended.at);
    const { line: at } = ended.attributes;
    return {
      ...reported(name, status, ended.at),
      ...timesOf(sink, ended.status, ended.at),
      error: status === 'failed' ? errorSaying(withoutRetry(message) || 'The test failed.') : null,
      reason:
        status === 'failed' || status === 'passed'
          ? null
          : message || (isDry ? 'a dry run: no keyword of the test ran' : null),
      file: suite?.attributes.source ?? null,
      line: at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : null,
      suite: suite?.attributes.name ?? null,
      extra: { ...tagsFrom(ended.tags), ...ended.steps.fields() },
      output: { stdout: ended.output.text(), stderr: '' },
      attachments: ended.files,
    };
  }

  function nameOf(around: readonly Node[], name: string): string {
    const titles = around.map(({ attributes }) => attributes.name ?? '');
    return reportedName(
      { suites: suitePath(titles, options.checkout), className: '', name },
      options.checkout,
    );
  }

  /** Robot before version 4 has a line for the critical tests too, which are a part of all. */
  function total({ fail = '' }: Attributes): Element | null {
    const failed = Number(fail);
    if (Number.isSafeInteger(failed)) counted = Math.max(counted, failed);
    return null;
  }

  return {
    ...elements(element),
    end() {
      if (before.length > 0) sink.results(before, RETRY);
      const missing = counted - failedTests;
      // Robot counts each test of a suite as failed whose tear-down failed.
      if (missing <= 0 || isTearDownFailed) return;
      sink.outside({ ...reported('report', 'failed', null), error: unlistedFailures(missing) }, missing);
    },
  };
}

function opened(attributes: Attributes, at: number): Node {
  return {
    attributes,
    at,
    steps: stepsReader(),
    tags: [],
    output: boundedText(bounds.output),
    files: [],
    failedInside: 0,
    isTearDownSaid: false,
    dryRun: dryRun(),
    status: {},
    message: '',
  };
}

/** A message may be in HTML. */
function textOf(message: string): string {
  return message.startsWith(HTML) && !isMerged(message) ? plain(message.slice(HTML.length)) : message;
}

/** Before version 4, a failure of a test that is not critical did not count. */
function statusOf({ status = '', critical }: Attributes): ReportItem['status'] {
  switch (status.toUpperCase()) {
    case 'PASS':
      return 'passed';
    case 'FAIL':
      return critical === 'no' ? 'known_fail' : 'failed';
    default:
      return saysFailed(status) ? 'failed' : 'skipped';
  }
}
