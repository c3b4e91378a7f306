/**
 * One entry of a test's history as text, in the characters of Z85. What entries of many tests share stands in a list of
 * origins: the run, the commit and the submission. An entry that passed or failed is
 *
 *     2  status, whether it is an item of a submission, and its attempt; or that it is no evidence
 *     2  the number of its origin
 *     4  for an item its ordinal; 20 for any other result, the UUID in its id
 *
 * Any other entry takes 4: its status, and the last three of the hash of its id. An origin has the hash of the run, the
 * hash of the commit, and for items the UUID of the submission. A hash is 32 bits of SHA-256: two texts have the same with a
 * chance of 1 in 4 · 10^9. Reported ids of results are never hashes.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bulkOriginOf, itemId } from '../ids.js';
import type { FinalStatus, TestEntry } from './test-entry.js';
import { digit, digitAt, digits, number, suffixOf, uuidIn, word } from './z85.js';

/** Where entries are from. Entries name them by number, so the list only grows until all entries are renumbered. */
export type Origins = readonly string[];

const ITEM_LENGTH = 8;
const ALONE_LENGTH = 24;
/** Any other entry: it counts for no evidence. */
const SHORT_LENGTH = 4;

const ORIGIN = 2;
const PLACE = 4;

const NONE = '00000';
/** In an origin. */
const [COMMIT, SUBMISSION] = [5, 10];
const MOST_ATTEMPTS = 1_000;
/** The first digit of a head: results by themselves, items, and verdicts of each kind that are no evidence. */
const [ITEMS, NO_EVIDENCE, NO_EVIDENCE_ITEMS, SHORT] = [24, 48, 49, 50];

/** The first characters of the other entries. */
const SKIPPED = ']';
const KNOWN_FAIL = '}';

/** The origin of an entry, which its list has to have before the entry is packed. */
export function originOf({ result_id, run_id, commit }: TestEntry): string {
  const item = bulkOriginOf(result_id);
  const submission = item === null ? '' : uuidOfSubmission(item.submission_id);
  return hashedOften(run_id) + hashedOften(commit) + submission;
}

/** Whether the packed entry names an origin. */
export function hasOrigin({ status }: Pick<TestEntry, 'status'>): boolean {
  return status === 'Passed' || status === 'Failed';
}

/** For ids that this program makes, and attempts from 1 to 1,000. `origin`: its number in the list; 0 where it has none. */
export function packEntry(entry: TestEntry, origin: number): string {
  const { status, result_id } = entry;
  if (status === 'Skipped') return SKIPPED + lastThree(hashed(result_id));
  if (status === 'KnownFail') return KNOWN_FAIL + lastThree(hashed(result_id));
  const item = bulkOriginOf(result_id);
  const failed = status === 'Failed' ? 1 : 0;
  const head = entry.again
    ? (item === null ? NO_EVIDENCE : NO_EVIDENCE_ITEMS) * 85 + failed
    : (item === null ? 0 : ITEMS * 85) + failed * MOST_ATTEMPTS + entry.attempt - 1;
  const place = item === null ? uuidIn(result_id) : word(item.ordinal).slice(1);
  return twoDigits(head) + twoDigits(origin) + place;
}

/** The entry with other numbers for the origins. */
export function renumbered(packed: string, numbers: ReadonlyMap<number, number>): string {
  let text = '';
  for (let at = 0; at < packed.length; ) {
    const after = entryAfter(packed, at);
    if (isVerdict(packed, at)) {
      const origin = twoDigits(numbers.get(originAt(packed, at))!);
      text += packed.slice(at, at + ORIGIN) + origin + packed.slice(at + PLACE, after);
    } else text += packed.slice(at, after);
    at = after;
  }
  return text;
}

/** The numbers of the origins that entries name. */
export function* originsIn(packed: string): Generator<number> {
  for (let at = 0; at < packed.length; at = entryAfter(packed, at)) {
    if (isVerdict(packed, at)) yield originAt(packed, at);
  }
}

/** Splits entries that were written without separators. */
export function entriesIn(packed: string): string[] {
  const entries: string[] = [];
  for (let at = 0; at < packed.length; at = entryAfter(packed, at)) entries.push(entryAt(packed, at));
  return entries;
}

/**
 * The entry that begins at `at`, among entries without separators. Here and below, `at` is 0 for a single entry. Each result
 * looks at up to 50 entries: splitting them made a sixth of the fold's garbage.
 */
export function entryAt(packed: string, at: number): string {
  return packed.slice(at, entryAfter(packed, at));
}

/** Where the next entry begins; the length of the text after the last one. */
export function entryAfter(packed: string, at: number): number {
  const first = digitAt(packed, at);
  if (first >= SHORT) return at + SHORT_LENGTH;
  return at + (isItemDigit(first) ? ITEM_LENGTH : ALONE_LENGTH);
}

/** Whether the result passed or failed. */
export function isVerdict(packed: string, at = 0): boolean {
  return digitAt(packed, at) < SHORT;
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
  const head = headOf(packed, at);
  return mayBeEvidence(packed, at) ? head >= MOST_ATTEMPTS : head % 85 === 1;
}

/** Whether a verdict may be evidence. */
export function mayBeEvidence(packed: string, at = 0): boolean {
  return digitAt(packed, at) < NO_EVIDENCE;
}

/** A test for entries: whether the one at a place fits. */
export type EntryTest = (packed: string, at: number) => boolean;

/** A test for verdicts of the same commit as an origin. A missing commit equals no other. */
export function atCommitOf(origins: Origins, origin: number): EntryTest {
  const commit = origins[origin]!.slice(COMMIT, SUBMISSION);
  if (commit === NONE) return () => false;
  return (packed, at) => {
    const other = originAt(packed, at);
    return other === origin || origins[other]!.startsWith(commit, COMMIT);
  };
}

/** A test for verdicts that may be evidence: whether they are of this run, and of a lower attempt. */
export function earlierAttempt(origins: Origins, attempt: number, runId: string): EntryTest {
  const isOfRun = ofRun(runId);
  return (packed, at) => attemptOf(packed, at) < attempt && isOfRun(origins, packed, at);
}

/** A test for verdicts: whether they are of this run. */
export function ofRun(runId: string): (origins: Origins, packed: string, at: number) => boolean {
  const run = hashedOften(runId);
  return (origins, packed, at) => origins[originAt(packed, at)]!.startsWith(run);
}

/** The attempt of a verdict; `NaN`, which compares with nothing, where it is not known. */
export function attemptIn(entry: string): number {
  return mayBeEvidence(entry) ? attemptOf(entry, 0) : NaN;
}

/** The runs of verdicts: equal texts for verdicts of one run, null for a result without a run. */
export function runsIn(origins: Origins, verdicts: readonly string[]): (string | null)[] {
  return verdicts.map((entry) => {
    const run = origins[originAt(entry, 0)]!.slice(0, COMMIT);
    return run === NONE ? null : run;
  });
}

/** A test for the entry of a result. */
export function isEntryOf(origins: Origins, resultId: string): (entry: string) => boolean {
  const item = bulkOriginOf(resultId);
  const uuid = uuidIn(item?.submission_id ?? resultId);
  const ordinal = item === null ? '' : word(item.ordinal).slice(1);
  const id = lastThree(hashed(resultId));
  return (entry) => {
    if (!isVerdict(entry)) return entry.endsWith(id);
    if (isItem(entry) !== (item !== null)) return false;
    if (item === null) return entry.startsWith(uuid, PLACE);
    return entry.startsWith(ordinal, PLACE) && origins[originAt(entry, 0)]!.startsWith(uuid, SUBMISSION);
  };
}

/** The id of a verdict's result. */
export function resultIdInEntry(origins: Origins, entry: string): string {
  if (!isItem(entry)) return `result_${suffixOf(entry.slice(PLACE))}`;
  const submission = suffixOf(origins[originAt(entry, 0)]!.slice(SUBMISSION));
  return itemId(`run_${submission}`, number(entry, PLACE, ITEM_LENGTH));
}

function twoDigits(value: number): string {
  return digit(value / 85) + digit(value);
}

function headOf(packed: string, at: number): number {
  const head = digitAt(packed, at) * 85 + digitAt(packed, at + 1);
  return head >= ITEMS * 85 && head < NO_EVIDENCE * 85 ? head - ITEMS * 85 : head;
}

function originAt(packed: string, at: number): number {
  return digitAt(packed, at + ORIGIN) * 85 + digitAt(packed, at + ORIGIN + 1);
}

function isItem(packed: string): boolean {
  return isItemDigit(digitAt(packed, 0));
}

function isItemDigit(first: number): boolean {
  return first >= ITEMS && first !== NO_EVIDENCE;
}

function attemptOf(packed: string, at: number): number {
  return (headOf(packed, at) % MOST_ATTEMPTS) + 1;
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

/** Three digits of a hash. */
function lastThree(text: string): string {
  return text.slice(-3);
}

/** The most origins that entries can name. */
export const MOST_ORIGINS = digits.length ** 2;
