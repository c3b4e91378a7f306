/** One attempt of a scenario, while its messages are read. */
import { Buffer } from 'node:buffer';
import { testName } from '../../test-name.js';
import { boundedText, cutText } from '../values/bounded-text.js';
import type { ReportAttachment } from '../entry.js';
import { objectOf, textOf, type JsonObject } from '../json/values.js';
import { linksFrom, type FoundLink } from '../links.js';
import { durationFromMs, instantOfEpoch } from '../values/numbers.js';
import { attachmentOf, bodyAttachment } from '../report-attachment.js';
import { bounds, reported, type Reported, type ReportedError } from '../reported.js';
import { stepsReader } from '../steps.js';
import { tagsFrom } from '../tags.js';
import type { TestCase } from './definitions.js';

export type Attempt = {
  stepFinished(message: JsonObject): void;
  attached(message: JsonObject): void;
  /** `isLenient`: whether steps that are pending or undefined do not fail it. Without them, it changes nothing. */
  /** `timestamp`: null where the run ended before the scenario did. */
  ended(timestamp: unknown): EndedAttempt;
};

type EndedAttempt = {
  result: (isLenient: boolean) => Reported;
  isFailed: boolean;
  isUnsure: boolean;
  /** About what it takes while it waits. */
  bytes: number;
};

const UNKNOWN_TYPE = 'application/octet-stream';
const MOST_FILES = 1_000;
/** Of an attempt without texts and files. */
const OWN_BYTES = 2 * 1_024;
/** A step of these did not run, and fails its scenario where Cucumber is strict: it says of the whole run whether it is. */
const UNSURE = new Set(['PENDING', 'UNDEFINED']);

export function openAttempt(of: TestCase, startedAt: unknown, at: number): Attempt {
  const steps = stepsReader();
  const log = boundedText(bounds.output);
  const files: ReportAttachment[] = [];
  const links: FoundLink[] = [];
  let failure: { error: ReportedError; step: string } | null = null;
  let unsure: { status: string; step: string } | null = null;
  let skipped: string | null = null;
  let hasSteps = false;

  function stepFinished(message: JsonObject): void {
    const { status, duration, message: text, exception } = objectOf(message.testStepResult);
    const step = of.steps.get(textOf(message.testStepId) ?? '') ?? 'step';
    const word = textOf(status) ?? 'UNKNOWN';
    const said = textOf(text);
    const isFailed = word === 'FAILED' || word === 'AMBIGUOUS' || UNSURE.has(word);
    hasSteps = true;
    steps.open(step);
    steps.close({
      status: word === 'PASSED' ? 'passed' : isFailed ? 'failed' : 'skipped',
      durationMs: milliseconds(duration),
      error: said ?? (UNSURE.has(word) ? word.toLowerCase() : null),
    });
    if (word === 'FAILED' || word === 'AMBIGUOUS')
      failure ??= { error: errorOf(said ?? word.toLowerCase(), objectOf(exception)), step };
    else if (UNSURE.has(word)) unsure ??= { status: word.toLowerCase(), step };
    else if (word !== 'PASSED') skipped ??= said ?? word.toLowerCase();
  }

  function attached(message: JsonObject): void {
    const text = typeof message.body === 'string' ? message.body : '';
    const type = textOf(message.mediaType) ?? UNKNOWN_TYPE;
    if (type.startsWith('text/x.cucumber.log')) return log.add(`${text}\n`);
    if (type === 'text/uri-list') {
      for (const each of text.slice(0, 64 * 1_024).split(/\s+/)) links.push({ name: null, url: each });
      return;
    }
    const file = files.length < MOST_FILES ? fileOf(message, text, type) : null;
    if (file !== null) files.push(file);
  }

  function resultWith(durationMs: number | null, isLenient: boolean): Reported {
    const error = failure?.error ?? (unsure === null || isLenient ? null : unsureError(unsure));
    const status = error !== null ? 'failed' : unsure !== null || skipped !== null ? 'skipped' : 'passed';
    return {
      ...reported(testName([...of.around, of.name]), status, at),
      durationMs,
      startedAt: instantOfTimestamp(startedAt),
      error,
      reason: status === 'skipped' ? (unsure === null ? skipped : `${unsure.status}: ${unsure.step}`) : null,
      file: of.file,
      line: of.line,
      suite: of.around.at(-1) ?? null,
      extra: { ...tagsFrom(of.tags), ...linksFrom(links), ...steps.fields() },
      output: { stdout: log.text(), stderr: '' },
      attachments: files,
    };
  }

  return {
    stepFinished,
    attached,
    ended(timestamp) {
      if (timestamp === null) skipped ??= 'the scenario did not end';
      // Cucumber calls its status unknown.
      else if (!hasSteps) skipped ??= 'the scenario has no steps';
      const [start, stop] = [milliseconds(startedAt), milliseconds(timestamp)];
      const durationMs = start === null || stop === null ? null : durationFromMs(stop - start).ms;
      return {
        result: (isLenient) => resultWith(durationMs, isLenient),
        isFailed: failure !== null,
        isUnsure: failure === null && unsure !== null,
        bytes:
          OWN_BYTES +
          2 * Math.min(log.length(), bounds.output) +
          bytesOfError(failure?.error) +
          bytesOf(files),
      };
    },
  };
}

function fileOf(
  { contentEncoding, fileName, url }: JsonObject,
  text: string,
  type: string,
): ReportAttachment | null {
  const name = textOf(fileName) ?? undefined;
  const external = textOf(url);
  if (external !== null) return attachmentOf(external, name, type);
  const base64 = contentEncoding === 'BASE64' ? text : Buffer.from(text).toString('base64');
  return bodyAttachment(base64, name ?? 'attachment', type);
}

function bytesOfError(error: ReportedError | undefined): number {
  return 2 * ((error?.message?.length ?? 0) + (error?.stack?.length ?? 0));
}

function bytesOf(files: readonly ReportAttachment[]): number {
  return files.reduce((sum, file) => sum + (file.source === 'body' ? file.body.length : 0), 0);
}

function unsureError({ status, step }: { status: string; step: string }): ReportedError {
  return { message: `The step is ${status}: ${step}`, type: null, stack: null, hook: null };
}

/** The message is the stack too; newer versions say its parts. */
export function errorOf(text: string, { type, message, stackTrace }: JsonObject): ReportedError {
  const stack = textOf(stackTrace) ?? text;
  return {
    message: cutText(textOf(message) ?? text.split(/\n\s+at /)[0]!, bounds.message),
    type: textOf(type),
    stack: cutText(stack, bounds.stack),
    hook: null,
  };
}

export function instantOfTimestamp(timestamp: unknown): string | null {
  const ms = milliseconds(timestamp);
  return ms === null || ms <= 0 ? null : instantOfEpoch(ms);
}

/** A duration and a timestamp have the same two parts. */
function milliseconds(value: unknown): number | null {
  const { seconds, nanos } = objectOf(value);
  // Writers in Java and Go may have the seconds as a text, since they are 64 bits long.
  const whole = Number(textOf(seconds) ?? Number.NaN);
  return Number.isFinite(whole) ? whole * 1_000 + (typeof nanos === 'number' ? nanos / 1e6 : 0) : null;
}
