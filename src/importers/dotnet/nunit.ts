import { NO_NAME } from '../../test-name.js';
import { beginningOf } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { suitePath, reportedName } from '../values/naming.js';
import { attachmentOf } from '../report-attachment.js';
import { bounds, errorSaying, reported, unlistedFailures, type Reported } from '../reported.js';
import { reportedSeconds } from '../values/reported-duration.js';
import { reportedInstant, reportedTimes } from '../values/reported-instant.js';
import { saysFailed } from '../says-failed.js';
import { tagsFrom } from '../tags.js';
import { elements, textElement, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { assemblies } from './assemblies.js';
import { fixtureOf } from './fixture.js';

/** A test, or a suite, which may have a failure of its own. */
type Node = {
  kind: 'suite' | 'case';
  attributes: Attributes;
  at: number;
  /** Cases and suites inside a suite that failed by themselves. */
  failedInside: number;
  message: string;
  stack: string;
  stdout: string;
  files: ReportAttachment[];
  categories: string[];
  owner: string | null;
};

/** Results of NUnit 3. */
export function nunitImporter({ sink, options, line }: ImporterContext): XmlHandler & { end(): void } {
  const open: Node[] = [];
  const { opened: openedAssembly, markOf } = assemblies();
  let filePath = '';
  let root: Attributes | null = null;
  let failedCases = 0;
  /** Of a suite that says that a test in it failed, where no test says so. */
  let unaccounted: Reported | null = null;

  function element(tag: string, attributes: Attributes, parent: string): Element | null {
    const node = open.at(-1);
    root ??= attributes;
    switch (tag) {
      case 'test-run':
        sink.facts({
          tool: 'nunit',
          ...reportedTimes(sink, { start: attributes['start-time'], end: attributes['end-time'] }, line()),
        });
        return null;
      case 'test-suite':
        if (attributes.type === 'Assembly') openedAssembly(attributes.fullname ?? attributes.name ?? '');
        return openNode('suite', attributes);
      case 'test-case':
        return openNode('case', attributes);
      case 'message':
      case 'stack-trace':
        return node === undefined ? null : openText(node, tag, parent);
      case 'output':
        return node === undefined ? null : textElement(bounds.output, (text) => (node.stdout = text));
      case 'filePath':
        return textElement(4_096, (text) => (filePath = text));
      case 'attachment':
        filePath = '';
        return { close: () => node?.files.push(...[attachmentOf(filePath)].filter((file) => file !== null)) };
      case 'property':
        if (node?.kind === 'case') property(node, attributes);
        return null;
      default:
        return null;
    }
  }

  /** The failure has all of it. After it comes each assertion with its own message, which is only a part. */
  function openText(node: Node, tag: 'message' | 'stack-trace', parent: string): Element | null {
    if (parent !== 'failure' && parent !== 'reason') return null;
    return tag === 'message'
      ? textElement(bounds.message, (text) => (node.message = text.trim()))
      : textElement(bounds.stack, (text) => (node.stack = text));
  }

  function property(node: Node, { name, value = '' }: Attributes): void {
    if (name === 'Category' && node.categories.length < 50)
      node.categories.push(beginningOf(value, bounds.short));
    else if (name === 'Owner' || name === 'Author') node.owner ??= value;
  }

  function openNode(kind: Node['kind'], attributes: Attributes): Element {
    const node: Node = {
      kind,
      attributes,
      at: line(),
      failedInside: 0,
      message: '',
      stack: '',
      stdout: '',
      files: [],
      categories: [],
      owner: null,
    };
    open.push(node);
    return {
      close() {
        open.pop();
        if (kind === 'suite' && saysChildFailed(node)) {
          unaccounted ??= suiteOf(node);
          for (const suite of open) suite.failedInside += 1;
        }
        const result = kind === 'case' ? caseOf(node) : isFailureOfItsOwn(node) ? suiteOf(node) : null;
        if (result === null) return;
        if (result.status === 'failed') for (const suite of open) suite.failedInside += 1;
        if (kind === 'suite') return sink.outside(result);
        if (result.status === 'failed') failedCases += 1;
        sink.results([result]);
      },
    };
  }

  function caseOf(node: Node): Reported {
    const { attributes, at } = node;
    const { fullname = '' } = attributes;
    const className = fixtureOf(attributes, open);
    const written = className === '' && fullname !== '' ? fullname : (attributes.name ?? fullname);
    const name = reportedName(
      { suites: [], className, name: written, project: markOf(className || written) },
      options.checkout,
    );
    if (name === NO_NAME) sink.warn('unnamed', 'A test case has no name.', at);
    const status = statusOf(attributes.result);
    const { label = '' } = attributes;
    return {
      ...reported(name, status, at),
      durationMs: reportedSeconds({ sink, options }, attributes.duration ?? attributes.time, at),
      startedAt: reportedInstant(sink, attributes['start-time'], at),
      error: status === 'failed' ? errorOf(node, hookOf(attributes.site)) : null,
      reason: status === 'skipped' ? node.message || label || (attributes.result ?? null) : null,
      suite: className === '' ? null : className,
      owner: node.owner,
      extra: {
        ...(attributes.id !== undefined && { id: attributes.id }),
        ...tagsFrom(node.categories),
      },
      output: { stdout: node.stdout, stderr: '' },
      attachments: node.files,
    };
  }

  function suiteOf(node: Node): Reported {
    const { fullname, name = '' } = node.attributes;
    const whole = reportedName(
      { suites: suitePath([fullname ?? name], options.checkout), className: '', name: '' },
      options.checkout,
    );
    return {
      ...reported(whole === NO_NAME ? 'suite' : whole, 'failed', node.at),
      error: errorOf(node, hookOf(node.attributes.site) ?? 'suite'),
      suite: whole === NO_NAME ? null : whole,
      attachments: node.files,
    };
  }

  return { ...elements(element), end: () => verdictOfRun(root ?? {}) };

  /** What the run says, also where the report is cut off, and its suites are still open. */
  function verdictOfRun({ result, failed = '' }: Attributes): void {
    const missing = Number(failed) - failedCases;
    if (missing > 0)
      sink.outside({ ...reported('test run', 'failed', null), error: unlistedFailures(missing) }, missing);
    else if (unaccounted !== null) sink.outside(unaccounted);
    else if (isFailed(result) && sink.failing() === 0) {
      const message = 'The report says Failed of the whole run, and no test failed.';
      sink.outside({ ...reported('test run', 'failed', null), error: errorSaying(message) });
    }
  }
}

/**
 * A suite also fails because a test in it did, or because a suite around it did, which counts once only. Where its set-up
 * failed, the cases inside say so, if they do; where its tear-down failed, or where it could not be loaded, only the suite
 * does.
 */
function isFailureOfItsOwn({ attributes: { result, site }, failedInside }: Node): boolean {
  if (!isFailed(result) || site === 'Child' || site === 'Parent') return false;
  return site === 'TearDown' || failedInside === 0;
}

function saysChildFailed({ attributes: { result, site }, failedInside }: Node): boolean {
  return isFailed(result) && site === 'Child' && failedInside === 0;
}

/** NUnit writes `Failed`; others `Failure`, `Error`, and a label and a site behind it: `Failed:Error(Child)`. */
function isFailed(result = ''): boolean {
  return saysFailed(wordOf(result));
}

function wordOf(result: string): string {
  return result.split(/[:(]/, 1)[0]!.trim();
}

function errorOf({ message, stack, attributes }: Node, hook: string | null): NonNullable<Reported['error']> {
  const label = attributes.label ?? '';
  return {
    message: message || label || null,
    type: label || null,
    stack: stack.trim() === '' ? null : stack,
    hook,
  };
}

function hookOf(site: string | undefined): string | null {
  switch (site) {
    case 'SetUp':
    case 'TearDown':
      return site;
    case 'Parent':
      return 'OneTimeSetUp';
    default:
      return null;
  }
}

function statusOf(result = ''): ReportItem['status'] {
  if (isFailed(result)) return 'failed';
  return /^(?:passed|success|warning)$/i.test(wordOf(result)) ? 'passed' : 'skipped';
}
