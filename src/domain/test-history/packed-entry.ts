/**
 * One entry of a test's history as text, in the characters of Z85: five for 32 bits. An entry that passed or failed takes 32 characters, or 34:
 *
 *     2  status, whether it is an item of a bulk submission, and its attempt; or that it is no evidence
 *    20  the UUID in its id; for an item, the UUID of its submission
 *     5  for an item its ordinal, else its run, hashed. For an item of a run with a key, whose id is not that of the
 *        submission, 7: three for its ordinal, and the last four of the hash of its run
 *     5  its commit, hashed
 *
 * Any other entry takes 4: its status, and the last three of the hash of its id. A hash is 32 bits of SHA-256. Two texts
 * have the same hash with a chance of 1 in 4 · 10^9, and the same last four characters with one of 1 in 52 million; an
 * entry is false evidence with 49 times that. Reported ids of results are never hashes.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bulkOriginOf, itemId } from '../ids.js';
import type { FinalStatus, TestEntry } from './test-entry.js';
import { digit, digits, number, suffixOf, uuidIn, word } from './z85.js';

/** An entry that passed or failed. */
const VERDICT_LENGTH = 32;
/** The same for an item of a run with a key. */
const KEYED_LENGTH = 34;
/** Any other entry: it counts for no evidence. */
const SHORT_LENGTH = 4;

const ID = 2;
const ORIGIN = 22;
const COMMIT = 27;
/** In an item of a run with a key. */
const KEYED_RUN = 25;
const KEYED_COMMIT = 29;

const NONE = '00000';
const MOST_ATTEMPTS = 1_000;
/**
 * Kinds of verdicts: failed, item, item of a run with a key. Each kind has one head for each attempt, and one for verdicts
 * that are no evidence.
 */
const FAILED = 1;
const ITEM = 2;
const KEYED = 4;
const NO_EVIDENCE = 48 * 85;
const KEYED_HEADS = 49 * 85;
/** The digit 48, with which verdicts that are no evidence begin. */
const M = 'M';
/** The digit 4: the kinds from there on are of runs with a key. */
const FIRST_KEYED = '4';

/** The first characters of the other entries: no verdict begins with a digit above 72. */
const SKIPPED = ']';
const KNOWN_FAIL = '}';

/** By the code of its first character: the length of an entry; 0 where the second character decides. */
const lengths = new Uint8Array(128);
for (let n = 0; n < digits.length; n += 1) {
  lengths[digits.charCodeAt(n)] = n < 48 ? VERDICT_LENGTH : n === 48 ? 0 : KEYED_LENGTH;
}
for (const first of [SKIPPED, KNOWN_FAIL]) lengths[first.charCodeAt(0)] = SHORT_LENGTH;

/** For ids that this program makes, and attempts from 1 to 1,000. */
export function packEntry(entry: TestEntry): string {
  const { status, result_id, run_id, commit } = entry;
  if (status === 'Skipped') return SKIPPED + lastThree(hashed(result_id));
  if (status === 'KnownFail') return KNOWN_FAIL + lastThree(hashed(result_id));
  const item = bulkOriginOf(result_id);
  const isKeyed = item !== null && item.submission_id !== run_id;
  const failed = status === 'Failed' ? FAILED : 0;
  const kind = failed + (item === null ? 0 : ITEM) + (isKeyed ? KEYED : 0);
  const heads = isKeyed ? KEYED_HEADS + failed * MOST_ATTEMPTS : kind * MOST_ATTEMPTS;
  const head = entry.again ? NO_EVIDENCE + kind : heads + entry.attempt - 1;
  let place: string;
  if (item === null) place = hashedOften(run_id);
  else if (isKeyed) place = lastThree(word(item.ordinal)) + hashedOften(run_id).slice(1);
  else place = word(item.ordinal);
  return (
    digit(head / 85) +
    digit(head) +
    (item === null ? uuidIn(result_id) : uuidOfSubmission(item.submission_id)) +
    place +
    hashedOften(commit)
  );
}

/** Three digits hold the ordinal of any item: they are enough for 614,125. */
function lastThree(word: string): string {
  return word.slice(-3);
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
  const length = lengths[packed.charCodeAt(at)]!;
  if (length > 0) return at + length;
  return at + (packed[at + 1]! < FIRST_KEYED ? VERDICT_LENGTH : KEYED_LENGTH);
}

/** Whether the result passed or failed. */
export function isVerdict(packed: string, at = 0): boolean {
  const length = lengths[packed.charCodeAt(at)]!;
  return length === 0 || length >= VERDICT_LENGTH;
}

export function statusOf(packed: string, at = 0): FinalStatus {
  switch (packed[at]) {
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
  const commit = one.slice(-NONE.length);
  if (commit === NONE) return () => false;
  return (packed, at) => packed.startsWith(commit, entryAfter(packed, at) - NONE.length);
}

/** A test for verdicts that may be evidence: whether they are of this run, and of a lower attempt. */
export function earlierAttempt(attempt: number, runId: string): EntryTest {
  const isOfRun = ofRun(runId);
  return (packed, at) => attemptOf(packed, at) < attempt && isOfRun(packed, at);
}

/** A test for verdicts: whether they are of this run. */
export function ofRun(runId: string): EntryTest {
  const [uuid, hash] = [uuidIn(runId), hashed(runId)];
  const end = hash.slice(1);
  return (packed, at) => {
    const kind = kindOf(packed, at);
    if ((kind & KEYED) !== 0) return packed.startsWith(end, at + KEYED_RUN);
    return (kind & ITEM) === 0 ? packed.startsWith(hash, at + ORIGIN) : packed.startsWith(uuid, at + ID);
  };
}

/** The attempt of a verdict; `NaN`, which compares with nothing, where it is not known. */
export function attemptIn(entry: string): number {
  return mayBeEvidence(entry) ? attemptOf(entry) : NaN;
}

/** The runs of verdicts: equal texts for verdicts of one run, null for a result without a run. */
export function runsIn(verdicts: readonly string[]): (string | null)[] {
  const kinds = verdicts.map((entry) => kindOf(entry, 0) & (ITEM | KEYED));
  // A run is whole in the items of a run without a key, and hashed in the others. Hashing takes time.
  const areAlike = kinds.every((kind) => kind === kinds[0]);
  return verdicts.map((entry, n) => {
    const kind = kinds[n]!;
    if ((kind & KEYED) !== 0) return entry.slice(KEYED_RUN, KEYED_COMMIT);
    if (kind === ITEM) return areAlike ? entry.slice(ID, ORIGIN) : hashed(`run_${suffixIn(entry)}`).slice(1);
    const run = entry.slice(ORIGIN, COMMIT);
    if (run === NONE) return null;
    return areAlike ? run : run.slice(1);
  });
}

/** A test for the entry of a result. */
export function isEntryOf(resultId: string): (entry: string) => boolean {
  const item = bulkOriginOf(resultId);
  const uuid = uuidIn(item?.submission_id ?? resultId);
  const ordinal = item === null ? '' : word(item.ordinal);
  const end = lastThree(ordinal);
  const id = lastThree(hashed(resultId));
  return (entry) => {
    if (!isVerdict(entry)) return entry.endsWith(id);
    if (isItem(entry) !== (item !== null) || !entry.startsWith(uuid, ID)) return false;
    return entry.startsWith(isKeyed(entry) ? end : ordinal, ORIGIN);
  };
}

/** The id of a verdict's result. */
export function resultIdInEntry(entry: string): string {
  const suffix = suffixIn(entry);
  if (!isItem(entry)) return `result_${suffix}`;
  return itemId(`run_${suffix}`, number(entry, ORIGIN, isKeyed(entry) ? KEYED_RUN : COMMIT));
}

function headOf(packed: string, at: number): number {
  return digits.indexOf(packed[at]!) * 85 + digits.indexOf(packed[at + 1]!);
}

function kindOf(packed: string, at: number): number {
  const head = headOf(packed, at);
  if (head < NO_EVIDENCE) return Math.floor(head / MOST_ATTEMPTS);
  if (head < KEYED_HEADS) return head - NO_EVIDENCE;
  return ITEM + KEYED + Math.floor((head - KEYED_HEADS) / MOST_ATTEMPTS);
}

function isKeyed(entry: string): boolean {
  return entry.length === KEYED_LENGTH;
}

function isItem(packed: string, at = 0): boolean {
  return (kindOf(packed, at) & ITEM) !== 0;
}

function attemptOf(packed: string, at = 0): number {
  const head = headOf(packed, at);
  return ((head < NO_EVIDENCE ? head : head - KEYED_HEADS) % MOST_ATTEMPTS) + 1;
}

/** The characters of the id whose UUID an entry has. */
function suffixIn(entry: string): string {
  return suffixOf(entry.slice(ID, ORIGIN));
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
