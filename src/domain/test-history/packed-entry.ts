/**
 * One entry of a test's history as text, in the 85 characters of Z85 (https://rfc.zeromq.org/spec/32/), which JSON does
 * not escape: five for 32 bits. An entry that passed or failed takes 32 characters:
 *
 *     2  status, whether it is an item of a bulk submission, and its attempt; or that it is no evidence
 *    20  the UUID in its id; for an item, the UUID of its submission
 *     5  for an item its ordinal, else its run, hashed
 *     5  its commit, hashed
 *
 * Any other entry takes 6: its status, and its id, hashed. A hash is 32 bits of SHA-256. Two texts have the same hash
 * with a chance of 1 in 4 · 10^9; an entry is false evidence with 49 times that. Reported ids of results are never
 * hashes.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bulkOriginOf, itemId } from '../ids.js';
import type { FinalStatus, TestEntry } from './test-history.js';

/** An entry that passed or failed. */
const VERDICT_LENGTH = 32;
/** Any other entry: it counts for no evidence. */
const SHORT_LENGTH = 6;

const ID = 2;
const ORIGIN = 22;
const COMMIT = 27;

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 26;
const NONE = '00000';
const MOST_ATTEMPTS = 1_000;
/**
 * Kinds of verdicts: failed, item. Each kind has one head for each attempt, and one for verdicts that are no evidence.
 */
const FAILED = 1;
const ITEM = 2;
const NO_EVIDENCE = 48 * 85;
/** The digit 48, with which verdicts that are no evidence begin. */
const M = 'M';

/** The first characters of the other entries, `[` and `{`: no verdict begins with a digit above 48. */
const SKIPPED = 0x5b;
const KNOWN_FAIL = 0x7b;

/** For ids that this program makes, and attempts from 1 to 1,000. */
export function packEntry(entry: TestEntry): string {
  const { status, result_id, commit } = entry;
  if (status === 'Skipped') return `[${hashed(result_id)}`;
  if (status === 'KnownFail') return `{${hashed(result_id)}`;
  const item = bulkOriginOf(result_id);
  const kind = (status === 'Failed' ? FAILED : 0) + (item === null ? 0 : ITEM);
  const head = entry.again ? NO_EVIDENCE + kind : kind * MOST_ATTEMPTS + entry.attempt - 1;
  const place = item === null ? hashedOften(entry.run_id) : word(item.ordinal);
  return (
    digit(head / 85) +
    digit(head) +
    (item === null ? uuidIn(result_id) : uuidOfSubmission(item.submission_id)) +
    place +
    hashedOften(commit)
  );
}

/** Splits entries that were written without separators. */
export function entriesIn(packed: string): string[] {
  const entries: string[] = [];
  for (let at = 0; at < packed.length; at = entryAfter(packed, at)) entries.push(entryAt(packed, at));
  return entries;
}

/**
 * The entry that begins at `at`, among entries without separators. Here and below, `at` is 0 for a single entry. Each result
 * looks at up to 60 entries: splitting them made a sixth of the fold's garbage.
 */
export function entryAt(packed: string, at: number): string {
  return packed.slice(at, entryAfter(packed, at));
}

/** Where the next entry begins; the length of the text after the last one. */
export function entryAfter(packed: string, at: number): number {
  return at + (isVerdict(packed, at) ? VERDICT_LENGTH : SHORT_LENGTH);
}

/** Whether the result passed or failed. */
export function isVerdict(packed: string, at = 0): boolean {
  const first = packed.charCodeAt(at);
  return first !== SKIPPED && first !== KNOWN_FAIL;
}

export function statusOf(packed: string, at = 0): FinalStatus {
  switch (packed.charCodeAt(at)) {
    case SKIPPED:
      return 'Skipped';
    case KNOWN_FAIL:
      return 'KnownFail';
    default:
      return hasFailed(packed, at) ? 'Failed' : 'Passed';
  }
}

/** Whether a verdict is a failure. */
export function hasFailed(packed: string, at = 0): boolean {
  return (kindOf(packed, at) & FAILED) !== 0;
}

/** Whether a verdict may be evidence. */
export function mayBeEvidence(packed: string, at = 0): boolean {
  return packed[at] !== M;
}

/** A test for entries: whether the one at a place fits. */
export type EntryTest = (packed: string, at: number) => boolean;

/** A test for verdicts of the same commit as one verdict. A missing commit equals no other. */
export function atCommitOf(one: string): EntryTest {
  const commit = one.slice(COMMIT);
  return commit === NONE ? () => false : (packed, at) => packed.startsWith(commit, at + COMMIT);
}

/**
 * A test for verdicts that may be evidence: whether they are of the same run as a result, and of a lower attempt. Of
 * items, it finds those of the same submission: their entries do not name the run.
 */
export function earlierAttempt(
  { result_id, attempt }: Pick<TestEntry, 'result_id' | 'attempt'>,
  runId: string,
): EntryTest {
  const [uuid, hash] = [uuidIn(bulkOriginOf(result_id)?.submission_id ?? runId), hashed(runId)];
  return (packed, at) =>
    (isItem(packed, at) ? packed.startsWith(uuid, at + ID) : packed.startsWith(hash, at + ORIGIN)) &&
    attemptOf(packed, at) < attempt;
}

/** The attempt of a verdict; `NaN`, which compares with nothing, where it is not known. */
export function attemptIn(entry: string): number {
  return mayBeEvidence(entry) ? attemptOf(entry) : NaN;
}

/** The runs of verdicts: equal texts for verdicts of one run, null for a result without a run. */
export function runsIn(verdicts: readonly string[]): (string | null)[] {
  const items = verdicts.map((entry) => isItem(entry));
  // A run is hashed in results that were recorded one by one, and whole in items. Hashing takes time.
  const areAlike = !items.includes(true) || !items.includes(false);
  return verdicts.map((entry, n) => {
    if (items[n]) return areAlike ? entry.slice(ID, ORIGIN) : hashed(`run_${suffixIn(entry)}`);
    const run = entry.slice(ORIGIN, COMMIT);
    return run === NONE ? null : run;
  });
}

/** A test for the entry of a result. */
export function isEntryOf(resultId: string): (entry: string) => boolean {
  const item = bulkOriginOf(resultId);
  const uuid = uuidIn(item?.submission_id ?? resultId);
  const ordinal = item === null ? '' : word(item.ordinal);
  const id = hashed(resultId);
  return (entry) =>
    isVerdict(entry)
      ? isItem(entry) === (item !== null) && entry.startsWith(uuid, ID) && entry.startsWith(ordinal, ORIGIN)
      : entry.endsWith(id);
}

/** The id of a verdict's result. */
export function resultIdInEntry(entry: string): string {
  const suffix = suffixIn(entry);
  return isItem(entry) ? itemId(`run_${suffix}`, number(entry, ORIGIN)) : `result_${suffix}`;
}

function headOf(packed: string, at: number): number {
  return digits.indexOf(packed[at]!) * 85 + digits.indexOf(packed[at + 1]!);
}

function kindOf(packed: string, at: number): number {
  const head = headOf(packed, at);
  return mayBeEvidence(packed, at) ? Math.floor(head / MOST_ATTEMPTS) : head - NO_EVIDENCE;
}

function isItem(packed: string, at = 0): boolean {
  return (kindOf(packed, at) & ITEM) !== 0;
}

function attemptOf(packed: string, at = 0): number {
  return (headOf(packed, at) % MOST_ATTEMPTS) + 1;
}

/** The 128 bits of an id's 26 characters. The library for ids refuses some of them, and takes twice as long. */
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
  for (let at = ID; at < ORIGIN; at += 5) {
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

/** The results of a run follow one another: its ids and its commit would be packed again and again. */
const uuidOfSubmission = remembering(uuidIn);
const hashedText = remembering(hashed);

function remembering(pack: (text: string) => string): (text: string) => string {
  const recent = new LRUCache<string, string>({ max: 16 });
  return (text) => {
    let packed = recent.get(text);
    if (packed === undefined) recent.set(text, (packed = pack(text)));
    return packed;
  };
}

const LONGEST_REMEMBERED = 100;

function hashedOften(text: string | null): string {
  return text === null || text.length > LONGEST_REMEMBERED ? hashed(text) : hashedText(text);
}

/** No text has the hash that stands for null: five digits hold a little more than 32 bits. */
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

/** The last digit of a number's whole part. */
function digit(value: number): string {
  return digits[Math.floor(value) % 85]!;
}

function number(text: string, at: number): number {
  let value = 0;
  for (let n = at; n < at + 5; n += 1) value = value * 85 + digits.indexOf(text[n]!);
  return value;
}
