/** Reads the body of `POST /v1/test-runs` in a thread of its own: bytes in, a valid submission out. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { ErrorObject } from 'ajv';
import type { Check } from '../../validation/schemas.js';
import { itemsHash } from '../../commands/submissions/same-items.js';
import { packItems, type PackedItems } from '../../commands/submissions/packed-items.js';
import type { SubmittedItem, SubmittedRun } from '../../commands/submissions/submission.js';
import type { HashContent } from '../../domain/contents.js';
import type { Instant } from '../../domain/event.js';
import { normaliseInstant } from '../../domain/instant.js';
import {
  resultStatuses,
  statusWords,
  type ResultStatus,
  type StatusWord,
} from '../../domain/results/result.js';
import { checkInstants } from '../../domain/results/result-instants.js';
import { runDescription } from '../../domain/runs/run-description.js';
import { fail, invalidFields, isAppError, type FieldError } from '../../errors.js';
import { limits } from '../../limits.js';
import { duplicateName, MOST_COMMAS, notJson, tooManyValues } from '../bodies/json.js';
import { fieldErrorsOf } from '../problems/field-errors.js';
import type { Requests } from '../requests.generated.js';
import { callFaults, emptyListFaults } from './call-faults.js';
import { splitErrorMessage } from './error-message.js';
import { locateAtStart, locateInItem, locateInOutline, type JsonLocation } from './json-location.js';
import { split, type Split } from './split.js';

/** `hash`: of the items of a shard, or of a call with a `submission_key`; else null. */
export type ReadRun = { run: SubmittedRun; items: PackedItems; hash: string | null };

/** The checks of the schemas `SubmitRun` and `SubmitItem`. */
export type Checks = { run: Check; item: Check };

/** `now`: instants are checked against it. `hash`: that of the team; null leaves contents in the items. */
export type Reading = { now: Instant; checks: Checks; hash: HashContent | null };

/** Far more levels than metadata can have: deeper bodies are refused before any parser meets them. */
const MOST_LEVELS = 200;

/**
 * Reads a submission.
 * @throws AppError `invalid_json` with line and column; `payload_too_large`; `validation_failed`, which names wrong
 *   items up to a limit.
 */
export function readSubmission(bytes: Uint8Array, options: Reading): ReadRun {
  const reading = submissionInSteps(bytes, options);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps, one item in each, so that others get their turns meanwhile. */
export function* submissionInSteps(
  bytes: Uint8Array,
  { now, checks, hash: hashContent }: Reading,
): Generator<void, ReadRun> {
  if (!isUtf8(bytes)) fail('invalid_json', 'The body is not UTF-8.');
  // As on every route, an empty body is a body without fields.
  const body =
    bytes.length === 0 ? Buffer.from('{}') : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const encoding = isAscii(body) ? 'latin1' : 'utf8';
  const text = (from: number, to: number) => body.toString(encoding, from, to);
  const found = split(body, text, { items: limits.itemsPerSubmission, depth: MOST_LEVELS });
  if (found === 'broken') return notJson(locateAtStart(body));
  if (found === 'too deep') {
    return invalidFields([{ pointer: '', code: 'too_deep', detail: 'is nested too deeply' }]);
  }
  if (found === 'too many') {
    const detail = `must have at most ${limits.itemsPerSubmission} items`;
    return invalidFields([{ pointer: '/results', code: 'too_many', detail }]);
  }
  if (found.outlineLength > limits.bodyBytes) {
    fail(
      'payload_too_large',
      `Without its results, the body must not be larger than ${limits.bodyBytes} bytes.`,
    );
  }
  const { run, faults } = readRun(found, body, now, checks.run);
  const packed = packItems({ project_id: run.project_id, hash: hashContent });
  const { items, faults: more } = yield* readItems(found, body, now, { packed, check: checks.item });
  try {
    const all = [...faults, ...more];
    if (all.length > 0) invalidFields(all);
    checkSuperseded(items);
    const { from, to } = found.list;
    const isKnown = run.shard !== null || run.submission_key !== null;
    const hash = isKnown ? itemsHash(body.subarray(from, to), run.metadata) : null;
    return { run: startedWithItems(run, items.earliest, now), items, hash };
  } catch (error) {
    items.free();
    throw error;
  }
}

/**
 * The deletion of an item counts all items again that it superseded, in one change of the read models.
 * @throws AppError `validation_failed` where these are too many for one change.
 */
function checkSuperseded(items: PackedItems): void {
  const most = items.mostSuperseding();
  if (most === null || most.count <= limits.supersededPerItem) return;
  const detail =
    `supersedes ${most.count} items of the same name; at most ${limits.supersededPerItem} are allowed, ` +
    'so give the items of one attempt different names';
  invalidFields([{ pointer: `/results/${most.ordinal}/attempt`, code: 'too_many', detail }]);
}

/** @throws AppError `invalid_json` with the line and column that `locate` finds. */
function parse(text: string, locate: () => JsonLocation | null): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return notJson(locate(), error);
  }
}

type RunFields = Requests['SubmitRun'];

/** Reads the body without its items. @throws AppError `invalid_json`. */
function readRun(
  found: Split,
  body: Uint8Array,
  now: Instant,
  check: Check,
): { run: SubmittedRun; faults: FieldError[] } {
  const outline = found.outline();
  const value = parse(outline, () => locateInOutline(body, outline, found.list));
  const faults = duplicateFaults(value, found.outlineNames, outline, '');
  faults.push(...fieldErrorsOf(check(value), 'body'));
  if (found.ends.length === 0) faults.push(...emptyListFaults(value));
  if (faults.length > 0) return { run: emptyRun, faults };
  const sent = value as RunFields;
  faults.push(...callFaults(sent));
  const { run_key = null, shard = null, complete = false, submission_key = null } = sent;
  const run = {
    project_id: sent.project_id,
    run_key,
    shard: shard && { ...shard, attempt: shard.attempt ?? 1 },
    complete,
    submission_key,
    ...runDescription(sent),
    started_at: normalised(sent.started_at),
    finished_at: normalised(sent.finished_at),
    ...reportIn(sent),
  };
  return { run, faults: [...faults, ...instantFaults(run, now, '')] };
}

/** Nothing for a report that says nothing against itself. */
function reportIn({ report }: RunFields): Pick<SubmittedRun, 'report'> {
  const { partial = false, failures_unread = 0 } = report ?? {};
  return partial || failures_unread > 0 ? { report: { partial, failures_unread } } : {};
}

/** A run starts with its earliest item by default. @throws AppError `validation_failed` where its finish lies before. */
function startedWithItems(run: SubmittedRun, earliest: Instant | null, now: Instant): SubmittedRun {
  if (run.started_at !== null) return run;
  const started = { ...run, started_at: earliest };
  // The server's own finish is not checked: it may lie before a start by a client whose clock is a little fast.
  const faults = run.finished_at === null ? [] : instantFaults(started, now, '');
  if (faults.length > 0) invalidFields(faults);
  return started;
}

/** Reads the items one by one, until the limit of wrong ones. @throws AppError `invalid_json`. */
function* readItems(
  found: Split,
  body: Uint8Array,
  now: Instant,
  { packed: items, check }: { packed: PackedItems; check: Check },
): Generator<void, { items: PackedItems; faults: readonly FieldError[] }> {
  const faulty: FieldError[][] = [];
  for (let ordinal = 0; ordinal < found.ends.length && faulty.length < limits.namedFaults; ordinal += 1) {
    yield;
    const pointer = `/results/${ordinal}`;
    const text = found.item(ordinal);
    if (text.length > limits.bodyBytes) {
      faulty.push([
        { pointer, code: 'too_large', detail: `must not be larger than ${limits.bodyBytes} bytes` },
      ]);
      continue;
    }
    // Their objects and faults would take a hundred times as long as those of other items of this size.
    if (found.commas[ordinal]! > MOST_COMMAS) {
      faulty.push([tooManyValues(pointer)]);
      continue;
    }
    const value = parse(text, () => locateInItem(body, text, found.from(ordinal)));
    const faults = duplicateFaults(value, found.names[ordinal]!, text, pointer);
    const wrong = check(value);
    if (wrong.length > 0) faults.push(...fieldErrorsOf(wrong.map(at(pointer)), 'body'));
    if (faults.length > 0) {
      faulty.push(faults);
      continue;
    }
    const item = itemOf(value as Requests['SubmitItem']);
    if (item.started_at !== null) faults.push(...instantFaults(item, now, pointer));
    if (faults.length > 0) {
      faulty.push(faults);
      continue;
    }
    items.add(item);
  }
  const all = faulty.flat();
  // Where there are too many to name, one fault of each item says more than all faults of a few.
  return { items, faults: all.length <= limits.namedFaults ? all : faulty.map(([first]) => first!) };
}

const statuses = Object.fromEntries(resultStatuses.map((status) => [statusWords[status], status])) as Record<
  StatusWord,
  ResultStatus
>;

function itemOf(sent: Requests['SubmitItem']): SubmittedItem {
  const started_at = normalised(sent.started_at);
  const duration = sent.duration_ms ?? null;
  const item: SubmittedItem = {
    test_name: sent.name,
    status: statuses[sent.status],
    ...splitErrorMessage({ error_message: sent.error_message ?? null, metadata: sent.metadata ?? null }),
    started_at,
    execution_time_ms: duration,
    attempt: sent.attempt ?? 1,
  };
  if (sent.status === 'pending' || sent.status === 'running') item.finished_at = null;
  else if (started_at !== null) {
    item.finished_at = duration === null ? null : new Date(Date.parse(started_at) + duration).toISOString();
  }
  return item;
}

function normalised(sent: string | null | undefined): Instant | null {
  return sent === undefined || sent === null ? null : normaliseInstant(sent);
}

/** An item has no finish of its own to check: it follows from its start. */
function instantFaults(
  { started_at, finished_at = null }: { started_at: Instant | null; finished_at?: Instant | null },
  now: Instant,
  pointer: string,
): FieldError[] {
  try {
    checkInstants({ started_at, finished_at }, now, { finished_at });
    return [];
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    return error.fields.map((field) => ({ ...field, pointer: pointer + field.pointer }));
  }
}

/** JSON.parse keeps the last of two equal names: then the object has fewer than the text. */
function duplicateFaults(value: unknown, names: number, text: string, pointer: string): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (Object.keys(value).length === names) return [];
  return [{ pointer: `${pointer}/${duplicateName(text) ?? ''}`, code: 'twice', detail: 'is a duplicate' }];
}

function at(pointer: string): (fault: ErrorObject) => ErrorObject {
  return (fault) => ({ ...fault, instancePath: pointer + fault.instancePath });
}

const emptyRun: SubmittedRun = {
  project_id: '',
  run_key: null,
  shard: null,
  complete: false,
  submission_key: null,
  ...runDescription({}),
  started_at: null,
  finished_at: null,
};
