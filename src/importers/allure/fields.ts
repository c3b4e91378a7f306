/** The fields of Allure's files that are read: https://allurereport.org/docs/how-it-works-test-result-file/ */
import type { ReportAttachment, ReportItem } from '../entry.js';
import { listOf, objectOf, textOf, type JsonObject } from '../json/values.js';
import { saysFailed } from '../says-failed.js';
import { durationFromMs } from '../values/numbers.js';
import { attachmentOf } from '../report-attachment.js';
import type { EndOfStep, StepsReader } from '../steps.js';

/** Steps inside of each other beyond this are none that a person wrote. */
const LEVELS = 200;
const NONE: readonly string[] = [];
/** A result has room for fewer, and says so. */
const MOST_FILES = 1_000;

/** `broken` is an error that is no failed assertion. A test whose process died has no status. */
export function statusOf(status: unknown): ReportItem['status'] | null {
  const word = typeof status === 'string' ? status.trim().toLowerCase() : '';
  switch (word) {
    case 'passed':
    case 'skipped':
      return word;
    default:
      return saysFailed(word) ? 'failed' : null;
  }
}

export type Labels = (name: string) => readonly string[];

/** The values of the labels of a test with this name, in their order. */
export function labelsOf(result: JsonObject): Labels {
  const labels = new Map<unknown, string[]>();
  for (const label of listOf(result.labels)) {
    const { name, value } = objectOf(label);
    const text = textOf(value);
    if (text === null) continue;
    const known = labels.get(name);
    if (known === undefined) labels.set(name, [text]);
    else known.push(text);
  }
  return (wanted) => labels.get(wanted) ?? NONE;
}

export function durationOf({ start, stop }: JsonObject): number | null {
  if (typeof start !== 'number' || typeof stop !== 'number') return null;
  return durationFromMs(stop - start).ms;
}

/** Parameters that Allure shows, and that make a test another one. */
export function parametersOf(result: JsonObject): { name: string; value: string }[] {
  return listOf(result.parameters)
    .map(objectOf)
    .filter(({ excluded, mode }) => excluded !== true && mode !== 'hidden' && mode !== 'masked')
    .flatMap(({ name, value }) => {
      const title = textOf(name);
      const text = typeof value === 'boolean' ? String(value) : textOf(value);
      return title === null || text === null ? [] : [{ name: title, value: text }];
    });
}

/** Reads the steps inside of a test, a fixture or a step; `files` gets what is attached to any of them. */
export function readSteps(
  around: JsonObject,
  steps: StepsReader,
  files: ReportAttachment[],
  level = 0,
): void {
  for (const each of listOf(around.attachments)) addFile(objectOf(each), files);
  if (level > LEVELS) return;
  for (const each of listOf(around.steps)) {
    const step = objectOf(each);
    const isFile = step.status === undefined && listOf(step.attachments).length > 0;
    // Adapters in JavaScript wrap each file in a step of its name.
    if (isFile) {
      readSteps(step, steps, files, level + 1);
      continue;
    }
    steps.open(textOf(step.name) ?? 'step');
    readSteps(step, steps, files, level + 1);
    steps.close(endOf(step));
  }
}

function endOf(step: JsonObject): EndOfStep {
  const status = statusOf(step.status);
  return {
    status: status === 'failed' || status === 'passed' ? status : 'skipped',
    durationMs: durationOf(step),
    error: textOf(objectOf(step.statusDetails).message),
  };
}

function addFile({ name, source, type }: JsonObject, files: ReportAttachment[]): void {
  if (files.length >= MOST_FILES) return;
  const file = attachmentOf(textOf(source) ?? '', textOf(name) ?? undefined, textOf(type) ?? undefined);
  if (file !== null) files.push(file);
}
