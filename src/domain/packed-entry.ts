/**
 * One entry of a test's history as text, in the 85 characters of Z85 (https://rfc.zeromq.org/spec/32/), which JSON
 * writes as they are: five for 32 bits. Of one that passed or failed, 32 characters:
 *
 *     2  status, whether it is an item of a bulk submission, and its attempt; or that it is no evidence
 *    20  the UUID in its id; of an item that of its run
 *     5  of an item its ordinal, else its run, hashed
 *     5  its commit, hashed
 *
 * Of another, 6: status, and its id, hashed. Hashes are 32 bits of SHA-256: two texts are taken for one with a chance of
 * 1 in 4 · 10^9, one entry for a piece of false evidence with 49 times that. What is reported, the id of a result, is
 * never a hash.
 */
import { hash } from 'node:crypto';
import { bulkOriginOf, itemId } from './ids.js';
import type { FinalStatus, TestEntry } from './test-history.js';

/** An entry that passed or failed. */
const VERDICT_LENGTH = 32;
/** Any other. */
const ASIDE_LENGTH = 6;

const ID = 2;
const PLACE = 22;
const COMMIT = 27;

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 26;
const NONE = '00000';
const MOST_ATTEMPTS = 1_000;
/** Kinds of verdicts: failed, item. Each with its attempt; and after these once more, for those that are no evidence. */
const FAILED = 1;
const ITEM = 2;
const NO_EVIDENCE = 48 * 85;
/** What those begin with: the digit 48. */
const M = 'M';

/** First characters of the others: no verdict begins with a digit above 48. */
const asides: Record<string, FinalStatus> = { '[': 'Skipped', '{': 'KnownFail' };

/** Takes ids as they are made here, and attempts of 1 to 1,000. */
export function packEntry(entry: TestEntry): string {
  const { status, result_id, commit } = entry;
  if (status === 'Skipped') return `[${hashed(result_id)}`;
  if (status === 'KnownFail') return `{${hashed(result_id)}`;
  const item = bulkOriginOf(result_id);
  const kind = (status === 'Failed' ? FAILED : 0) + (item === null ? 0 : ITEM);
  const head = entry.again ? NO_EVIDENCE + kind : kind * MOST_ATTEMPTS + entry.attempt - 1;
  const place = item === null ? hashed(entry.run_id) : word(item.ordinal);
  return digit(head / 85) + digit(head) + uuidIn(item?.run_id ?? result_id) + place + hashed(commit);
}

/** Takes entries apart that were written one after the other. */
export function entriesIn(packed: string): string[] {
  const entries: string[] = [];
  for (let at = 0; at < packed.length;) {
    const end = at + (asides[packed[at]!] === undefined ? VERDICT_LENGTH : ASIDE_LENGTH);
    entries.push(packed.slice(at, end));
    at = end;
  }
  return entries;
}

/** It passed or failed. */
export function isVerdict(entry: string): boolean {
  return entry.length === VERDICT_LENGTH;
}

export function statusOf(entry: string): FinalStatus {
  return asides[entry[0]!] ?? (hasFailed(entry) ? 'Failed' : 'Passed');
}

/** Of a verdict. */
export function hasFailed(entry: string): boolean {
  return (kindOf(entry) & FAILED) !== 0;
}

/** Whether a verdict may be evidence. */
export function mayBeEvidence(entry: string): boolean {
  return entry[0] !== M;
}

/** Tells whether a verdict is of the commit of one there: none is no commit. */
export function atCommitOf(one: string): (entry: string) => boolean {
  const commit = one.slice(COMMIT);
  return commit === NONE ? () => false : (entry) => entry.startsWith(commit, COMMIT);
}

/** Tells whether a verdict that may be evidence is of a run, and of a lower attempt than one there. */
export function earlierAttempt(runId: string, attempt: number): (entry: string) => boolean {
  const [uuid, hash] = [uuidIn(runId), hashed(runId)];
  return (entry) =>
    (isItem(entry) ? entry.startsWith(uuid, ID) : entry.startsWith(hash, PLACE)) &&
    attemptOf(entry) < attempt;
}

/** Tells whether an entry is that of a result. */
export function entryOf(resultId: string): (entry: string) => boolean {
  const item = bulkOriginOf(resultId);
  const uuid = uuidIn(item?.run_id ?? resultId);
  const ordinal = item === null ? '' : word(item.ordinal);
  const id = hashed(resultId);
  return (entry) =>
    isVerdict(entry)
      ? isItem(entry) === (item !== null) && entry.startsWith(uuid, ID) && entry.startsWith(ordinal, PLACE)
      : entry.endsWith(id);
}

/** Of a verdict: the id of its result. */
export function resultIdOf(entry: string): string {
  const suffix = suffixIn(entry);
  return isItem(entry) ? itemId(`run_${suffix}`, number(entry, PLACE)) : `result_${suffix}`;
}

function headOf(entry: string): number {
  return digits.indexOf(entry[0]!) * 85 + digits.indexOf(entry[1]!);
}

function kindOf(entry: string): number {
  const head = headOf(entry);
  return mayBeEvidence(entry) ? Math.floor(head / MOST_ATTEMPTS) : head - NO_EVIDENCE;
}

function isItem(entry: string): boolean {
  return (kindOf(entry) & ITEM) !== 0;
}

function attemptOf(entry: string): number {
  return (headOf(entry) % MOST_ATTEMPTS) + 1;
}

/** The 128 bits that an id's 26 characters are. The library for ids refuses some, and takes twice as long. */
function uuidIn(id: string): string {
  let text = '';
  let [value, bits] = [0, 128 - SUFFIX_LENGTH * 5];
  for (let at = id.length - SUFFIX_LENGTH; at < id.length; at += 1) {
    value = value * 32 + base32.indexOf(id[at]!);
    bits += 5;
    if (bits < 32) continue;
    bits -= 32;
    const rest = value % 2 ** bits;
    text += word((value - rest) / 2 ** bits);
    value = rest;
  }
  return text;
}

function suffixIn(entry: string): string {
  let text = '';
  let [value, bits] = [0, SUFFIX_LENGTH * 5 - 128];
  for (let at = ID; at < PLACE; at += 5) {
    value = value * 2 ** 32 + number(entry, at);
    for (bits += 32; bits >= 5;) {
      bits -= 5;
      const rest = value % 2 ** bits;
      text += base32[(value - rest) / 2 ** bits]!;
      value = rest;
    }
  }
  return text;
}

/** No text is hashed to what stands for none: five digits hold some more than 32 bits. */
function hashed(text: string | null): string {
  return text === null ? NONE : word(parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) + 1);
}

function word(value: number): string {
  return (
    digit(value / 52_200_625) +
    digit(value / 614_125) +
    digit(value / 7_225) +
    digit(value / 85) +
    digit(value)
  );
}

/** The last of the digits of a number's whole part. */
function digit(value: number): string {
  return digits[Math.floor(value) % 85]!;
}

function number(text: string, at: number): number {
  let value = 0;
  for (let n = at; n < at + 5; n += 1) value = value * 85 + digits.indexOf(text[n]!);
  return value;
}
