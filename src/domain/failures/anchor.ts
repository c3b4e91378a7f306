/**
 * The anchor of a failure: what makes it the same failure as another one (docs/api.md, section 10, and
 * docs/decisions/019-failure-anchors.md). It follows from the result alone, and takes time in proportion to its text.
 */
import { fromUUID } from 'typeid-js';
import { v5 } from 'uuid';
import { namespaceOf } from '../namespace.js';
import type { UnderstoodError, UnderstoodResult } from '../understood.js';
import { assertionOf, matcherOf, type Assertion } from './assertion.js';
import { firstLines, oneLine } from './failure-text.js';
import { shapeOf, withoutIds } from './message-shape.js';
import { waitedFor } from './selector.js';
import { sourceFile } from './source-file.js';
import { traceOf, type Trace } from './stack-frames.js';

export type AnchorKind = 'hook' | 'selector' | 'frame' | 'message';

export type Anchor = {
  kind: AnchorKind;
  /** What makes failures the same. */
  key: string;
  /** One line for people, up to 255 characters. */
  title: string;
};

/** It is raised when the rule changes: then other failures are the same, under other ids. */
const ANCHOR_VERSION = 1;

/** `testName` is a part of the anchor only where the result has no text that says what failed. */
export function anchorOf(failed: UnderstoodResult, testName: string): Anchor {
  const { error } = failed;
  // Before its text is read for languages and frames: each POST waits for that.
  if (error === null) return messageAnchor({ type: null, headline: '' }, testName);
  const trace = traceIn(error);
  const assertion = assertionOf(error, trace.cause);
  return (
    hookAnchor(failed, error, trace, assertion) ??
    selectorAnchor(error, assertion) ??
    frameAnchor(trace, assertion) ??
    messageAnchor(assertion, testName)
  );
}

/** The id of the group of failures with this anchor in a project. It is the same each time. */
export function groupIdOf(projectId: string, anchor: Anchor): string {
  return fromUUID(v5(`${ANCHOR_VERSION}/${anchor.kind}/${anchor.key}`, namespaceOf(projectId)), 'group');
}

/** Some tools send the stack as a part of the message. */
function traceIn(error: UnderstoodError): Trace {
  const trace = traceOf(error.stack ?? '');
  return trace.own === null && error.message !== null
    ? withCause(traceOf(error.message), trace.cause)
    : trace;
}

function withCause(trace: Trace, cause: string | null): Trace {
  return { own: trace.own, cause: cause ?? trace.cause };
}

function hookAnchor(
  failed: UnderstoodResult,
  error: UnderstoodError,
  trace: Trace,
  assertion: Assertion,
): Anchor | null {
  const hook = hookName(error);
  if (hook === null) return null;
  const file = failed.file === null ? fileOf(trace) : sourceFile(failed.file);
  const where = file ?? failed.suite;
  const matcher = matcherOf(assertion);
  return anchor(
    'hook',
    [hook, where, matcher],
    `${where === null ? hook : `${hook} in ${where}`}: ${matcher}`,
  );
}

/** Mocha names the first test that a hook kept from running: `"before each" hook for "adds lines"`. */
function hookName(error: UnderstoodError): string | null {
  const named = error.hook ?? hookInMessage(error.message ?? '');
  if (named === null) return null;
  const line = firstLines(named)[0] ?? '';
  const first = line.lastIndexOf(' for "');
  const name = withoutIds(first > 0 && line.includes('hook') ? line.slice(0, first) : line).trim();
  return name === '' ? null : name;
}

/** Cypress, Playwright and pytest say it in the message. */
function hookInMessage(message: string): string | null {
  for (const line of firstLines(message).slice(0, 100)) {
    const [, hook] =
      /occurred during a `(\w{1,20} \w{1,20})` hook/.exec(line) ??
      /while running "(\w{1,40})" hook/.exec(line) ??
      /^(?:Error: )?"(\w{1,40})" hook timeout of/.exec(line) ??
      [];
    if (hook !== undefined) return `"${hook}" hook`;
    const [, phase] = /^failed on (setup|teardown) with /.exec(line) ?? [];
    if (phase !== undefined) return phase;
  }
  return null;
}

function selectorAnchor(error: UnderstoodError, assertion: Assertion): Anchor | null {
  const waited = waitedFor(firstLines(error.message ?? '')) ?? waitedFor(firstLines(error.stack ?? ''));
  if (waited === null) return null;
  const matcher = waited.matcher ?? matcherOf(assertion);
  return anchor('selector', [waited.selector, matcher], `${matcher}: ${waited.selector}`);
}

function frameAnchor(trace: Trace, assertion: Assertion): Anchor | null {
  if (trace.own === null) return null;
  const file = fileOf(trace);
  const { fn } = trace.own;
  const matcher = matcherOf(assertion);
  const place = fn === null ? (file ?? '') : file === null ? fn : `${fn} (${file})`;
  return anchor('frame', [file, fn, matcher], matcher === '' ? place : `${matcher} at ${place}`);
}

function fileOf(trace: Trace): string | null {
  const path = trace.own?.path ?? null;
  return path === null ? null : sourceFile(path);
}

function messageAnchor({ type, headline }: Assertion, testName: string): Anchor {
  const shape = shapeOf(headline);
  if (shape === '')
    return anchor('message', [type, null, testName], `${type ?? 'Failure'} without a message in ${testName}`);
  return anchor('message', [type, shape], type === null ? shape : `${type}: ${shape}`);
}

const LONGEST_PART = 300;
const LONGEST_TITLE = 255;

/** The parts are JSON, so that no part can look like two. */
function anchor(kind: AnchorKind, parts: (string | null)[], title: string): Anchor {
  const key = JSON.stringify(parts.map((part) => (part === null ? null : oneLine(part, LONGEST_PART))));
  return { kind, key, title: oneLine(title, LONGEST_TITLE) };
}
