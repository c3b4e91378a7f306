import { boundedText, type BoundedText } from '../bounded-text.js';
import type { ImporterContext } from '../importer.js';
import { outputFiles } from '../item.js';
import { suitePath } from '../naming.js';
import { attachmentLines, attachmentOf } from '../report-attachment.js';
import { bounds } from '../reported.js';
import { elements, type Element } from '../xml/elements.js';
import type { Attributes, XmlHandler } from '../xml/reader.js';
import { addProperty, textOf, type Attempt, type Case, type Suite } from './case.js';
import { addAttachment, noOutput, textsOf } from './output.js';
import { mochaTitles } from './mocha-titles.js';
import { attemptsOf, failureOfSuite, instantFrom } from './results.js';
import { hasOwnName, toolOf } from './tools.js';

/** JUnit XML in all its dialects. */
export function junitImporter(context: ImporterContext): XmlHandler {
  const { sink, options, line } = context;
  const suites: Suite[] = [];
  const cases: Case[] = [];
  const attempts: Attempt[] = [];
  const mocha = mochaTitles();

  function open(tag: string, attributes: Attributes): Element | null {
    switch (tag) {
      case 'testsuites':
      case 'testsuite':
        return openSuite(tag, attributes);
      case 'testcase':
        return openCase(attributes);
      case 'failure':
      case 'error':
        return openFailure(attributes);
      case 'skipped':
      case 'ignored':
      case 'disabled':
        return openSkipped(attributes);
      case 'rerunFailure':
      case 'rerunError':
        return openAttempt(attributes, 'reruns');
      case 'flakyFailure':
      case 'flakyError':
        return openAttempt(attributes, 'flaky');
      case 'stackTrace':
        return openStackTrace();
      case 'system-out':
        return openOutput('stdout');
      case 'system-err':
        return openOutput('stderr');
      case 'property':
        return openProperty(attributes);
      default:
        return null;
    }
  }

  function openSuite(tag: string, attributes: Attributes): Element | null {
    const parent = suites.at(-1);
    const name = tag === 'testsuites' ? '' : textOf(attributes.name);
    sink.facts(startOf(attributes.timestamp));
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
      output: noOutput(),
    };
    suites.push(suite);
    return {
      close() {
        suites.pop();
        const ofParent = suites.at(-1);
        if (ofParent !== undefined && suite.name === 'Root Suite') ofParent.fileOfSiblings = suite.file;
        const files = [...suite.output.attachments];
        if (options.output !== 'none') files.unshift(...outputFiles(textsOf(suite.output)));
        if (files.length > 0) sink.attachments(suite.name === '' ? null : suite.name, files);
      },
    };
  }

  function openCase(attributes: Attributes): Element | null {
    const test: Case = {
      attributes,
      at: line(),
      failures: [],
      fileOfFailure: null,
      skipped: null,
      flaky: [],
      reruns: [],
      output: noOutput(),
      properties: new Map(),
    };
    cases.push(test);
    return {
      close() {
        cases.pop();
        sink.results(attemptsOf(test, suites.at(-1), { ...context, mocha }));
      },
    };
  }

  function openFailure(attributes: Attributes): Element | null {
    const test = cases.at(-1);
    const text = boundedText(bounds.stack);
    const at = line();
    return {
      text: text.add,
      close() {
        const failure = {
          message: textOf(attributes.message),
          type: textOf(attributes.type),
          text: text.text(),
        };
        warnOfCut(text, at);
        if (test === undefined) {
          sink.results([failureOfSuite(failure, at, suites.at(-1))]);
          return;
        }
        test.failures.push(failure);
        const { file, line: lineOfFailure } = attributes;
        if (file !== undefined) test.fileOfFailure ??= { file, line: textOf(lineOfFailure) };
      },
    };
  }

  function openSkipped(attributes: Attributes): Element | null {
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

  function openAttempt(attributes: Attributes, list: 'flaky' | 'reruns'): Element | null {
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

  function openStackTrace(): Element | null {
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

  function openOutput(stream: 'stdout' | 'stderr'): Element | null {
    const { output } = attempts.at(-1) ?? cases.at(-1) ?? suites.at(-1) ?? { output: noOutput() };
    const at = line();
    const text = (output[stream] ??= boundedText(bounds.output));
    const scan = attachmentLines((path) => addAttachment(output, attachmentOf(path)));
    return {
      text(piece) {
        text.add(piece);
        scan(piece);
      },
      close: () => warnOfCut(text, at),
    };
  }

  function openProperty({ name = '', value }: Attributes): Element | null {
    const test = cases.at(-1);
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

  function warnOfCut(text: BoundedText, at: number): void {
    if (text.isCut()) sink.warn('cut_text', 'A long text has only its beginning and its end.', at);
  }

  function startOf(timestamp: string | undefined): { started_at?: string } {
    const started_at = instantFrom(timestamp, context);
    return started_at === null ? {} : { started_at };
  }

  return elements(open);
}
