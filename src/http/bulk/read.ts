/** Reads the body of `POST /v1/test-runs`: bytes in, a submission that is valid out. For a thread of its own. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { ErrorObject } from 'ajv';
import type { Check } from '../../validation/schemas.js';
import {
  packItems,
  type PackedItems,
  type SubmittedItem,
  type SubmittedRun,
} from '../../commands/submission.js';
import type { Instant } from '../../domain/event.js';
import { normaliseInstant } from '../../domain/instant.js';
import {
  mustBeInstants,
  resultStatuses,
  statusWords,
  type ResultStatus,
  type StatusWord,
} from '../../domain/result.js';
import { fail, isLedgerError, type FieldError } from '../../errors.js';
import { nameTwice, notJson } from '../json.js';
import { fieldErrors } from '../problem.js';
import type { Requests } from '../requests.generated.js';
import { placeAtFirst, placeInOutline, placeWithin, type JsonLocation } from './place.js';
import { split, type Split } from './split.js';

export type Read = { run: SubmittedRun; items: PackedItems };

/** Of the schemas `SubmitRun` and `SubmitItem`. */
export type Checks = { run: Check; item: Check };

const MOST_ITEMS = 50_000;
/** As any other body: what a result or a run may be by itself. */
const MOST_BYTES = 1024 * 1024;
/** Far more than metadata may have. */
const DEEPEST = 200;
/** So many items are told of; and so many faults. */
const MOST_FAULTS = 100;

/**
 * Reads a submission. `now` is what its instants are held against.
 * @throws LedgerError `invalid_json` with line and column; `payload_too_large`; `validation_failed`, naming up to 100
 *   items.
 */
export function readSubmission(bytes: Uint8Array, now: Instant, checks: Checks): Read {
  if (!isUtf8(bytes)) fail('invalid_json', 'The body is not UTF-8.');
  // As everywhere, no body is one without fields.
  const body =
    bytes.length === 0 ? Buffer.from('{}') : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const encoding = isAscii(body) ? 'latin1' : 'utf8';
  const text = (from: number, to: number) => body.toString(encoding, from, to);
  const found = split(body, text, { items: MOST_ITEMS, depth: DEEPEST });
  if (found === 'broken') return notJson(placeAtFirst(body));
  if (found === 'too deep') return refuse([{ pointer: '', code: 'too_deep', detail: 'is nested too deep' }]);
  if (found === 'too many') {
    const detail = `must have at most ${MOST_ITEMS} items`;
    return refuse([{ pointer: '/results', code: 'too_many', detail }]);
  }
  if (found.outlineLength > MOST_BYTES) {
    fail('payload_too_large', `Without its results the body must not be larger than ${MOST_BYTES} bytes.`);
  }
  const { run, faults } = readRun(found, body, now, checks.run);
  const { items, faults: more } = readItems(found, body, now, checks.item);
  const all = [...faults, ...more];
  if (all.length > 0) refuse(all);
  return { run: startedWithItems(run, items.earliest, now), items };
}

/** @throws LedgerError `invalid_json`, saying where. */
function parse(text: string, place: () => JsonLocation | null): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return notJson(place(), error);
  }
}

type Run = Omit<Requests['SubmitRun'], 'results'>;

/** @throws LedgerError `invalid_json` */
function readRun(
  found: Split,
  body: Uint8Array,
  now: Instant,
  check: Check,
): { run: SubmittedRun; faults: FieldError[] } {
  const outline = found.outline();
  const value = parse(outline, () => placeInOutline(body, outline, found.list));
  const faults = twice(value, found.outlineNames, outline, '');
  // Here the list is empty.
  const others = check(value).filter((fault) => found.ends.length === 0 || !isOfTheList(fault));
  if (others.length > 0) faults.push(...fieldErrors(others, 'body'));
  if (faults.length > 0) return { run: nothing, faults };
  const { project_id, label = null, metadata = null, ...sent } = value as Run;
  const run = {
    project_id,
    label,
    metadata,
    started_at: normalised(sent.started_at),
    finished_at: normalised(sent.finished_at),
  };
  return { run, faults: instantFaults(run, now, '') };
}

/** @throws LedgerError `validation_failed` where the run is said to have finished before its earliest item started. */
function startedWithItems(run: SubmittedRun, earliest: Instant | null, now: Instant): SubmittedRun {
  if (run.started_at !== null) return run;
  const started = { ...run, started_at: earliest };
  // Only against a finish that was sent: the server's own may lie before a start whose clock is a little fast.
  const faults = run.finished_at === null ? [] : instantFaults(started, now, '');
  if (faults.length > 0) refuse(faults);
  return started;
}

/** @throws LedgerError `invalid_json` */
function readItems(
  found: Split,
  body: Uint8Array,
  now: Instant,
  check: Check,
): { items: PackedItems; faults: readonly FieldError[] } {
  const items = packItems();
  const faulty: FieldError[][] = [];
  for (let ordinal = 0; ordinal < found.ends.length && faulty.length < MOST_FAULTS; ordinal += 1) {
    const pointer = `/results/${ordinal}`;
    const text = found.item(ordinal);
    if (text.length > MOST_BYTES) {
      faulty.push([{ pointer, code: 'too_large', detail: `must not be larger than ${MOST_BYTES} bytes` }]);
      continue;
    }
    const value = parse(text, () => placeWithin(body, text, found.from(ordinal)));
    const faults = twice(value, found.names[ordinal]!, text, pointer);
    const wrong = check(value);
    if (wrong.length > 0) faults.push(...fieldErrors(wrong.map(at(pointer)), 'body'));
    if (faults.length > 0) {
      faulty.push(faults);
      continue;
    }
    const item = itemOf(value as Requests['SubmitItem']);
    if (item.started_at !== null) faults.push(...instantFaults(item, now, pointer));
    if (faults.length > 0) faulty.push(faults);
    else items.add(item);
  }
  const all = faulty.flat();
  // Where not all can be told, rather one of each item.
  return { items, faults: all.length <= MOST_FAULTS ? all : faulty.map(([first]) => first!) };
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
    error_message: sent.error_message ?? null,
    metadata: sent.metadata ?? null,
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

/** The finish of an item follows from its start, and is never told of. */
function instantFaults(
  { started_at, finished_at = null }: { started_at: Instant | null; finished_at?: Instant | null },
  now: Instant,
  pointer: string,
): FieldError[] {
  try {
    mustBeInstants({ started_at, finished_at }, now, { finished_at });
    return [];
  } catch (error) {
    if (!isLedgerError(error, 'validation_failed')) throw error;
    return error.fields.map((field) => ({ ...field, pointer: pointer + field.pointer }));
  }
}

/** JSON.parse keeps the last of two equal names: then there are fewer than stand in the text. */
function twice(value: unknown, names: number, text: string, pointer: string): FieldError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (Object.keys(value).length === names) return [];
  return [{ pointer: `${pointer}/${nameTwice(text) ?? ''}`, code: 'twice', detail: 'is there twice' }];
}

function isOfTheList({ instancePath, keyword }: ErrorObject): boolean {
  return instancePath === '/results' && keyword === 'minItems';
}

function at(pointer: string): (fault: ErrorObject) => ErrorObject {
  return (fault) => ({ ...fault, instancePath: pointer + fault.instancePath });
}

const nothing: SubmittedRun = {
  project_id: '',
  label: null,
  metadata: null,
  started_at: null,
  finished_at: null,
};

function refuse(fields: readonly FieldError[]): never {
  const detail = fields.map(({ pointer, detail }) => `${pointer || 'the body'} ${detail}`).join('; ');
  return fail('validation_failed', detail.slice(0, 1_000), { fields });
}
