/**
 * The verdicts of a test on a branch as text, newest first. The run, the commit and the submission that verdicts are from
 * stand once in a list of origins, which the tests of a page share; as JSON, four verdicts take 600 bytes.
 *
 *     1  p (passed) or f (failed); P or F if another result counts in place of it
 *     *  the number of its origin, in base 36
 *     *  `.` and, for an item of a submission, its ordinal in base 36; else the id of the result without `result_`
 *     *  `@` and its instant: the milliseconds since 1970 in base 36, or as it is
 *
 * The row of failures before them has two moments, each with the number of its origin, `@` and its instant, or empty:
 * since when the test fails, `|`, and when it passed last.
 */
import { LRUCache } from 'lru-cache';
import type { Instant } from '../event.js';
import { bulkOriginOf, itemId } from '../ids.js';
import type { FailingRow, Moment, Verdict, Verdicts } from './failing-row.js';

export type VerdictOrigin = readonly [run_id: string | null, commit: string | null, submission?: string];
export type VerdictOrigins = readonly VerdictOrigin[];

const PREFIX = 'result_';
const SEPARATOR = ' ';
const BETWEEN = '|';

/** `text`: the newest verdicts. `before`: the row of failures as those before them left it; empty if there is none. */
export type PackedVerdicts = { text: string; before: string; origins: VerdictOrigins };

/** The number of the newest verdicts. One would be enough if results were never deleted or corrected. */
const KEPT = 4;

/** The same row before other verdicts. */
export function withVerdicts(packed: PackedVerdicts, verdicts: readonly Verdict[]): PackedVerdicts {
  const { before, origins } = packed;
  return verdicts.toReversed().reduce(withNewest, { text: '', before, origins });
}

/** With one more verdict. */
export function withNewest(packed: PackedVerdicts, verdict: Verdict): PackedVerdicts {
  const { result_id, passed, superseded, moment } = verdict;
  const item = bulkOriginOf(result_id);
  const { run_id, commit } = moment;
  let { origins } = packed;
  let origin = numberOf(origins, run_id, commit, item?.submission_id);
  if (origin < 0) {
    const added: VerdictOrigin = item === null ? [run_id, commit] : [run_id, commit, item.submission_id];
    origin = origins.length;
    origins = [...origins, added];
  }
  const letter = passed ? 'p' : 'f';
  const place = item === null ? result_id.slice(PREFIX.length) : item.ordinal.toString(36);
  const head = `${superseded === true ? letter.toUpperCase() : letter}${origin.toString(36)}`;
  const line = `${head}.${place}@${inBase36(moment.at) || moment.at}`;
  const text = packed.text === '' ? line : line + SEPARATOR + packed.text;
  const end = endOfKept(text);
  if (end < 0) return { text, before: packed.before, origins };
  return { text: text.slice(0, end), before: rowAfter(packed.before, text.slice(end + 1)), origins };
}

/** Where the newest verdicts end; -1 where there are no others. */
function endOfKept(text: string): number {
  let at = -1;
  for (let n = 0; n < KEPT; n += 1) {
    at = text.indexOf(SEPARATOR, at + 1);
    if (at < 0) return -1;
  }
  return at;
}

/** The row after the verdict of a line. */
function rowAfter(before: string, line: string): string {
  const letter = line[0];
  if (letter === 'P' || letter === 'F') return before;
  const moment = line.slice(1, line.indexOf('.')) + line.slice(line.indexOf('@'));
  if (letter === 'p') return BETWEEN + moment;
  const [since = '', passed = ''] = before.split(BETWEEN);
  return since === '' ? moment + BETWEEN + passed : before;
}

/** All of them, unpacked. */
export function unpacked(packed: PackedVerdicts): Verdicts {
  return { verdicts: verdictsIn(packed), before: rowIn(packed) };
}

function rowIn({ before, origins }: PackedVerdicts): FailingRow {
  const [since = '', passed = ''] = before.split(BETWEEN);
  return { failing_since: momentIn(since, origins), last_passed: momentIn(passed, origins) };
}

function momentIn(text: string, origins: VerdictOrigins): Moment | null {
  if (text === '') return null;
  const sign = text.indexOf('@');
  const [run_id, commit] = origins[parseInt(text.slice(0, sign), 36)]!;
  return { run_id, commit, at: instantIn(text.slice(sign + 1)) };
}

/** The result of the newest verdict, if it failed. Whether it passed is plain without reading it all. */
export function newestFailedIn(packed: PackedVerdicts): string | null {
  const letter = packed.text[0];
  return letter === 'f' || letter === 'F' ? verdictsIn(packed)[0]!.result_id : null;
}

/** Whether the newest verdict is a pass that counts. */
export function isPassing({ text }: PackedVerdicts): boolean {
  return text[0] === 'p';
}

/** Nearly always it is one of the newest; -1 where it is not there. */
function numberOf(
  origins: VerdictOrigins,
  run: string | null,
  commit: string | null,
  submission: string | undefined,
): number {
  return origins.findLastIndex(
    (origin) => origin[0] === run && origin[2] === submission && origin[1] === commit,
  );
}

function verdictsIn({ text, origins }: PackedVerdicts): Verdict[] {
  return linesIn(text).map((line) => {
    const [dot, sign] = [line.indexOf('.'), line.indexOf('@')];
    const letter = line[0]!;
    const [run_id, commit, submission] = origins[parseInt(line.slice(1, dot), 36)]!;
    const place = line.slice(dot + 1, sign);
    const verdict: Verdict = {
      result_id: submission === undefined ? PREFIX + place : itemId(submission, parseInt(place, 36)),
      passed: letter === 'p' || letter === 'P',
      moment: { run_id, commit, at: instantIn(line.slice(sign + 1)) },
    };
    if (letter === 'P' || letter === 'F') verdict.superseded = true;
    return verdict;
  });
}

/** The numbers of the origins that verdicts and the row before them name. */
export function originsOfVerdicts({ text, before }: Pick<PackedVerdicts, 'text' | 'before'>): number[] {
  const lines = linesIn(text).map((line) => line.slice(1, line.indexOf('.')));
  const moments = before.split(BETWEEN).filter((moment) => moment !== '');
  return [...lines, ...moments.map((moment) => moment.slice(0, moment.indexOf('@')))].map(fromBase36);
}

/** The same with other numbers for the origins. */
export function renumberedVerdicts(
  { text, before }: Pick<PackedVerdicts, 'text' | 'before'>,
  numbers: ReadonlyMap<number, number>,
): Pick<PackedVerdicts, 'text' | 'before'> {
  const renumber = (number: string) => numbers.get(fromBase36(number))!.toString(36);
  const lines = linesIn(text).map((line) => {
    const dot = line.indexOf('.');
    return line[0]! + renumber(line.slice(1, dot)) + line.slice(dot);
  });
  const moments = before.split(BETWEEN).map((moment) => {
    const sign = moment.indexOf('@');
    return moment === '' ? '' : renumber(moment.slice(0, sign)) + moment.slice(sign);
  });
  return { text: lines.join(SEPARATOR), before: moments.join(BETWEEN) };
}

function fromBase36(number: string): number {
  return parseInt(number, 36);
}

function linesIn(text: string): string[] {
  return text === '' ? [] : text.split(SEPARATOR);
}

/** The results of a submission share their instant, and dates take most of the time here. */
const packedInstants = new LRUCache<Instant, string>({ max: 256 });
const instants = new LRUCache<string, Instant>({ max: 256 });

/** Empty where the instant would not come back as it is. */
function inBase36(at: Instant): string {
  const known = packedInstants.get(at);
  if (known !== undefined) return known;
  const ms = Date.parse(at);
  const text = ms >= 0 && new Date(ms).toISOString() === at ? ms.toString(36) : '';
  packedInstants.set(at, text);
  return text;
}

const IN_BASE_36 = /^[0-9a-z]+$/;

function instantIn(text: string): Instant {
  const known = instants.get(text);
  if (known !== undefined) return known;
  const at = IN_BASE_36.test(text) ? new Date(parseInt(text, 36)).toISOString() : text;
  instants.set(text, at);
  return at;
}
