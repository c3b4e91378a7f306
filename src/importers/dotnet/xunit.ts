import { NO_NAME } from '../../test-name.js';
import { beginningOf } from '../values/bounded-text.js';
import type { ReportAttachment, ReportItem } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { suitePath, reportedName } from '../values/naming.js';
import { attachmentOf, bodyAttachment } from '../report-attachment.js';
import { bounds, reported, unlistedFailures, type Reported } from '../reported.js';
import { reportedSeconds } from '../values/reported-duration.js';
import { reportedInstant, reportedTimes } from '../values/reported-instant.js';
import { saysFailed } from '../says-failed.js';
import { tagsFrom } from '../tags.js';
import { elements, textElement, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { assemblies } from './assemblies.js';

/** A test, or an error outside of tests. */
type Node = {
  kind: 'test' | 'error';
  attributes: Attributes;
  at: number;
  exception: string;
  message: string;
  stack: string;
  output: string;
  reason: string;
  traits: Record<string, string[]>;
  files: ReportAttachment[];
};

/** Files of xUnit.net v3 are in the report itself: of one larger than this, the rest would be lost. */
const INLINE = 16 * 1_024 * 1_024;

/** Results of xUnit.net v2 and v3. */
export function xunitImporter({
  sink,
  options,
  line,
  refuse,
}: ImporterContext): XmlHandler & { end(): void } {
  let node: Node | null = null;
  /** The failed tests and the errors that the assembly counts, and all that failed before it. */
  let counted = 0;
  let failedBefore = 0;
  const { opened: openedAssembly, markOf } = assemblies();

  function element(tag: string, attributes: Attributes): Element | null {
    switch (tag) {
      case 'assembly':
        endAssembly();
        failedBefore = sink.failing();
        sink.facts({ tool: 'xunit', ...reportedTimes(sink, { start: startOf(attributes) }, line()) });
        openedAssembly(attributes.name ?? '', attributes['target-framework']);
        counted = (Number(attributes.failed) || 0) + (Number(attributes.errors) || 0);
        return null;
      case 'class':
        return refuse(
          'unsupported_format',
          'This is a report of xUnit.net v1. Export it as xUnit.net v2 or JUnit.',
        );
      case 'test':
        return openNode('test', attributes);
      case 'error':
        return openNode('error', attributes);
      default:
        return node === null ? null : inner(node, tag, attributes);
    }
  }

  function inner(into: Node, tag: string, attributes: Attributes): Element | null {
    switch (tag) {
      case 'failure':
        into.exception = attributes['exception-type'] ?? '';
        return null;
      case 'message':
        return textElement(bounds.message, (text) => (into.message = text.trim()));
      case 'stack-trace':
        return textElement(bounds.stack, (text) => (into.stack = text));
      case 'output':
        return textElement(bounds.output, (text) => (into.output = text));
      case 'reason':
        return textElement(bounds.short, (text) => (into.reason = text.trim()));
      case 'trait':
        addTrait(into.traits, attributes);
        return null;
      case 'attachment':
        return textElement(INLINE, (text) => addFile(into, attributes, text));
      default:
        return null;
    }
  }

  function openNode(kind: Node['kind'], attributes: Attributes): Element {
    const opened: Node = {
      kind,
      attributes,
      at: line(),
      exception: '',
      message: '',
      stack: '',
      output: '',
      reason: '',
      traits: {},
      files: [],
    };
    node = opened;
    return {
      close() {
        node = null;
        if (kind === 'test') sink.results([testOf(opened)]);
        else sink.outside(errorResult(opened));
      },
    };
  }

  function testOf(test: Node): Reported {
    const { attributes, at, traits } = test;
    const className = attributes.type ?? '';
    const written = attributes.name ?? attributes.method ?? '';
    const name = reportedName(
      { suites: [], className, name: written, project: markOf(className || written) },
      options.checkout,
    );
    if (name === NO_NAME) sink.warn('unnamed', 'A test has no name.', at);
    const status = statusOf(attributes.result);
    return {
      ...reported(name, status, at),
      durationMs: reportedSeconds({ sink, options }, attributes.time, at),
      startedAt: reportedInstant(sink, attributes['start-rtf'], at),
      error: status === 'failed' ? errorOf(test, null) : null,
      reason: status === 'skipped' ? test.reason || (attributes.result ?? null) : null,
      file: attributes['source-file'] ?? null,
      line: lineOf(attributes['source-line']),
      suite: className === '' ? null : className,
      owner: traits.Owner?.[0] ?? traits.owner?.[0] ?? null,
      extra: {
        ...(test.attributes.id !== undefined && { id: test.attributes.id }),
        ...tagsFrom(traits.Category ?? []),
        ...(Object.keys(traits).length > 0 && { traits }),
      },
      output: { stdout: test.output, stderr: '' },
      attachments: test.files,
    };
  }

  /** A fixture or a collection that could not be cleaned up, and the like. */
  function errorResult(error: Node): Reported {
    const { type = 'error', name = '' } = error.attributes;
    const whole = reportedName(
      { suites: suitePath([name], options.checkout), className: '', name: type },
      options.checkout,
    );
    return { ...reported(whole, 'failed', error.at), error: errorOf(error, type) };
  }

  return {
    ...elements(element),
    end: endAssembly,
  };

  /** A failure that one assembly counts and does not list is not that of another one. */
  function endAssembly(): void {
    const missing = counted - (sink.failing() - failedBefore);
    if (missing > 0)
      sink.outside({ ...reported('test run', 'failed', null), error: unlistedFailures(missing) }, missing);
  }
}

/** xUnit writes `Pass` and `Fail`; others write small letters, `Passed`, `Failed` and `Error`. */
function statusOf(result = ''): ReportItem['status'] {
  if (saysFailed(result)) return 'failed';
  return /^pass(?:ed)?$/i.test(result) ? 'passed' : 'skipped';
}

function errorOf({ message, exception, stack }: Node, hook: string | null): NonNullable<Reported['error']> {
  return {
    message: message || exception || null,
    type: exception || null,
    stack: stack.trim() === '' ? null : stack,
    hook,
  };
}

function addTrait(traits: Node['traits'], { name = '', value = '' }: Attributes): void {
  if (Object.keys(traits).length >= 50 && !Object.hasOwn(traits, name)) return;
  const values = Object.hasOwn(traits, name) ? traits[name]! : [];
  if (values.length < 50) values.push(beginningOf(value, bounds.short));
  Object.defineProperty(traits, name, {
    value: values,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** A text is a file of its own, and other bytes are in base64 with their type. */
function addFile({ files }: Node, attributes: Attributes, text: string): void {
  const { name = 'attachment', 'media-type': type } = attributes;
  const file =
    type === undefined
      ? attachmentOf(`data:text/plain,${encodeURIComponent(text.toWellFormed())}`, name)
      : bodyAttachment(text, name, type);
  if (file !== null && text !== '') files.push(file);
}

function lineOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The text of its start: older writers have a date and a time in two. */
function startOf(attributes: Attributes): string | undefined {
  const { 'run-date': date, 'run-time': time } = attributes;
  return attributes['start-rtf'] ?? (date === undefined ? undefined : `${date}T${time ?? '00:00:00'}`);
}
