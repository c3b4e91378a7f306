/**
 * One entry of a test's history as text, in the characters of Z85. What entries of many tests share stands in a list of
 * origins: the run, the commit, the submission and the branch. An entry is
 *
 *     2  status, whether it is an item of a submission, and its attempt; or that it is no evidence
 *     2  the number of its origin
 *     4  for an item its ordinal; 20 for any other result, the UUID in its id
 *
 * An origin is the hash of the run, the hash of the commit, `i` and the UUID of the submission for items, `@` and the hash of the
 * environment where there is one, and `=` and the branch where there is one. A hash is 32 bits of SHA-256: two texts have the same with a chance of 1 in 4 · 10^9. Reported
 * ids of results are never hashes.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bulkOriginOf, itemId } from '../ids.js';
import type { EnvironmentKey } from '../environment.js';
import type { FinalStatus, TestEntry } from './test-entry.js';
import { digit, digitAt, number, suffixOf, uuidIn, word } from './z85.js';

/** Where entries are from. Entries name them by number, so the list only grows until all entries are renumbered. */
export type Origins = readonly string[];

const ITEM_LENGTH = 8;
const ALONE_LENGTH = 24;

const ORIGIN = 2;
const PLACE = 4;

const NONE = '00000';
/** In an origin. */
const [COMMIT, KIND, SUBMISSION, REST_OF_ITEM] = [5, 10, 11, 31];
const HASH = 5;
const ITEM = 'i';
const ALONE = 'a';
const MOST_ATTEMPTS = 1_000;
/** The first digit of a head: of results by themselves, of items, and of each kind without an attempt. */
const [ITEMS, PLAIN, PLAIN_ITEMS] = [24, 48, 49];
/** The second digit of a head without an attempt. The first two are verdicts that are no evidence. */
const plain = { Passed: 0, Failed: 1, Skipped: 2, KnownFail: 3 } as const satisfies Record<
  FinalStatus,
  number
>;
const plainStatuses = Object.keys(plain) as FinalStatus[];

type Origin = Pick<TestEntry, 'run_id' | 'commit' | 'branch' | 'environment'> & { submission: string | null };

/** The results of a call have one origin: its text is made once, and found in a list without comparing it. */
let newest: { of: Origin; text: string } | null = null;

/** The origin of an entry, which its list has to have before the entry is packed. */
function originOf({ result_id, run_id, commit, branch, environment }: TestEntry): string {
  const submission = bulkOriginOf(result_id)?.submission_id ?? null;
  const known = newest?.of;
  if (
    newest === null ||
    known?.run_id !== run_id ||
    known.submission !== submission ||
    known.commit !== commit ||
    known.branch !== branch ||
    known.environment !== environment
  ) {
    const of = { run_id, commit, branch, environment, submission };
    newest = { of, text: textOfOrigin(of) };
  }
  return newest.text;
}

function textOfOrigin({ run_id, commit, branch, environment, submission }: Origin): string {
  const from = submission === null ? ALONE : ITEM + uuidOfSubmission(submission);
  const origin = hashedOften(run_id) + hashedOften(commit) + from;
  return (
    origin + (environment === '' ? '' : `@${hashOf(environment)}`) + (branch === null ? '' : `=${branch}`)
  );
}

/** The list with the origin of an entry, and its number there. */
export function withOrigin(origins: Origins, entry: TestEntry): { origins: Origins; origin: number } {
  const text = originOf(entry);
  // Nearly always it is the newest one.
  const origin = origins.lastIndexOf(text);
  return origin >= 0 ? { origins, origin } : { origins: [...origins, text], origin: origins.length };
}

/** For ids that this program makes, and attempts from 1 to 1,000. `origin`: its number in the list. */
export function packEntry({ status, result_id, attempt, again }: TestEntry, origin: number): string {
  const item = bulkOriginOf(result_id);
  const isVerdict = status === 'Passed' || status === 'Failed';
  const head =
    again || !isVerdict
      ? (item === null ? PLAIN : PLAIN_ITEMS) * 85 + plain[status]
      : (item === null ? 0 : ITEMS * 85) + (status === 'Failed' ? MOST_ATTEMPTS : 0) + attempt - 1;
  const place = item === null ? uuidIn(result_id) : word(item.ordinal).slice(1);
  return twoDigits(head) + twoDigits(origin) + place;
}

/** The entries with other numbers for the origins. */
export function renumbered(packed: string, numbers: ReadonlyMap<number, number>): string {
  let text = '';
  for (let at = 0; at < packed.length;) {
    const after = entryAfter(packed, at);
    const origin = twoDigits(numbers.get(originAt(packed, at))!);
    text += packed.slice(at, at + ORIGIN) + origin + packed.slice(at + PLACE, after);
    at = after;
  }
  return text;
}

/** The numbers of the origins that entries name. */
export function* originsIn(packed: string): Generator<number> {
  for (let at = 0; at < packed.length; at = entryAfter(packed, at)) yield originAt(packed, at);
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
  return at + (isItem(packed, at) ? ITEM_LENGTH : ALONE_LENGTH);
}

/** Whether the result passed or failed. */
export function isVerdict(packed: string, at = 0): boolean {
  return digitAt(packed, at) < PLAIN || digitAt(packed, at + 1) <= plain.Failed;
}

export function statusOf(packed: string, at = 0): FinalStatus {
  const first = digitAt(packed, at);
  if (first >= PLAIN) return plainStatuses[digitAt(packed, at + 1)]!;
  return headOf(packed, at) < MOST_ATTEMPTS ? 'Passed' : 'Failed';
}

/** Whether the result failed. */
export function hasFailed(packed: string, at = 0): boolean {
  return statusOf(packed, at) === 'Failed';
}

/** Whether a verdict may be evidence. */
export function mayBeEvidence(packed: string, at = 0): boolean {
  return digitAt(packed, at) < PLAIN;
}

/** The branch of an entry. */
export function branchIn(origins: Origins, packed: string): string | null {
  const origin = origins[originAt(packed, 0)]!;
  const rest = restIn(origin);
  const branch = origin[rest] === '@' ? rest + 1 + HASH : rest;
  return origin.length === branch ? null : origin.slice(branch + 1);
}

/** The hash of the environment of an entry (`hashOf`); null without one. */
export function environmentHashIn(origins: Origins, packed: string): string | null {
  const origin = origins[originAt(packed, 0)]!;
  const rest = restIn(origin);
  return origin[rest] === '@' ? origin.slice(rest + 1, rest + 1 + HASH) : null;
}

/** The hash by which an origin names an environment. */
export function hashOf(environment: EnvironmentKey): string {
  return hashedOften(environment);
}

/** Where the environment and the branch of an origin begin. */
function restIn(origin: string): number {
  return origin[KIND] === ITEM ? REST_OF_ITEM : SUBMISSION;
}

/** A test for entries: whether the one at a place fits. */
export type EntryTest = (packed: string, at: number) => boolean;

/** A test for verdicts of the same commit as an origin. A missing commit equals no other. */
export function atCommitOf(origins: Origins, origin: number): EntryTest {
  const commit = origins[origin]!.slice(COMMIT, KIND);
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

/** The runs of entries, by `runHash`; null for a result without a run. */
export function runsIn(origins: Origins, entries: readonly string[]): (string | null)[] {
  return entries.map((entry) => {
    const run = origins[originAt(entry, 0)]!.slice(0, COMMIT);
    return run === NONE ? null : run;
  });
}

/** The hash by which an origin names a run. */
export function runHash(run: string): string {
  return hashedOften(run);
}

/** A test for the entry of a result. */
export function isEntryOf(origins: Origins, resultId: string): (entry: string) => boolean {
  const item = bulkOriginOf(resultId);
  const place = item === null ? uuidIn(resultId) : word(item.ordinal).slice(1);
  const submission = item === null ? null : uuidIn(item.submission_id);
  return (entry) => {
    if (entry.length !== PLACE + place.length || !entry.endsWith(place)) return false;
    return submission === null || origins[originAt(entry, 0)]!.startsWith(submission, SUBMISSION);
  };
}

/** The id of an entry's result. */
export function resultIdInEntry(origins: Origins, entry: string): string {
  if (!isItem(entry, 0)) return `result_${suffixOf(entry.slice(PLACE))}`;
  const submission = suffixOf(origins[originAt(entry, 0)]!.slice(SUBMISSION, REST_OF_ITEM));
  return itemId(`run_${submission}`, number(entry, PLACE, ITEM_LENGTH));
}

function twoDigits(value: number): string {
  if (value >= 85 * 85) throw new Error(`${value} has more than two digits`);
  return digit(value / 85) + digit(value);
}

/** Of an entry with an attempt. */
function headOf(packed: string, at: number): number {
  const head = digitAt(packed, at) * 85 + digitAt(packed, at + 1);
  return head < ITEMS * 85 ? head : head - ITEMS * 85;
}

function originAt(packed: string, at: number): number {
  return digitAt(packed, at + ORIGIN) * 85 + digitAt(packed, at + ORIGIN + 1);
}

function isItem(packed: string, at: number): boolean {
  const first = digitAt(packed, at);
  return first >= ITEMS && first !== PLAIN;
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
