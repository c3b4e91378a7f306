/**
 * The verdicts of a test on a branch as text, newest first. The run, the commit and the submission that verdicts are from
 * stand once in a list of origins, which the tests of a page share; as JSON, four verdicts take 600 bytes.
 *
 *     1  p (passed) or f (failed); P or F if another result counts in place of it
 *     *  the number of its origin, in base 36
 *     *  `.` and, for an item of a submission, its ordinal in base 36; else the id of the result without `result_`
 *     *  `@` and its instant: the milliseconds since 1970 in base 36, or as it is
 */
import { LRUCache } from 'lru-cache';
import type { Instant } from '../event.js';
import { bulkOriginOf, itemId } from '../ids.js';
import type { Verdict } from './failing-row.js';

export type VerdictOrigin = readonly [run_id: string | null, commit: string | null, submission?: string];
export type VerdictOrigins = readonly VerdictOrigin[];

const PREFIX = 'result_';
const SEPARATOR = ' ';

/** The verdicts of a test on a branch, newest first, with the origins that they and perhaps others name. */
export type PackedVerdicts = { text: string; origins: VerdictOrigins };

export function packVerdicts(verdicts: readonly Verdict[], origins: VerdictOrigins): PackedVerdicts {
  return verdicts.toReversed().reduce(withNewest, { text: '', origins });
}

/** With one more verdict. */
export function withNewest({ text, origins }: PackedVerdicts, verdict: Verdict): PackedVerdicts {
  const { result_id, passed, superseded, moment } = verdict;
  const item = bulkOriginOf(result_id);
  const { run_id, commit } = moment;
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
  return { text: text === '' ? line : line + SEPARATOR + text, origins };
}

/** Splits off the verdicts behind the first `kept`. */
export function behind({ text, origins }: PackedVerdicts, kept: number): { text: string; rest: Verdict[] } {
  let at = -1;
  for (let n = 0; n < kept; n += 1) {
    at = text.indexOf(SEPARATOR, at + 1);
    if (at < 0) return { text, rest: [] };
  }
  return { text: text.slice(0, at), rest: verdictsIn({ text: text.slice(at + 1), origins }) };
}

/** The result of the newest verdict, if it failed. Whether it passed is plain without reading it all. */
export function newestFailedIn({ text, origins }: PackedVerdicts): string | null {
  if (text === '' || text[0] === 'p' || text[0] === 'P') return null;
  const end = text.indexOf(SEPARATOR);
  return verdictsIn({ text: end < 0 ? text : text.slice(0, end), origins })[0]!.result_id;
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

export function verdictsIn({ text, origins }: PackedVerdicts): Verdict[] {
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

/** The numbers of the origins that verdicts name. */
export function originsOfVerdicts(text: string): number[] {
  return linesIn(text).map((line) => parseInt(line.slice(1, line.indexOf('.')), 36));
}

/** The verdicts with other numbers for the origins. */
export function renumberedVerdicts(text: string, numbers: ReadonlyMap<number, number>): string {
  const renumber = (line: string) => {
    const dot = line.indexOf('.');
    return line[0]! + numbers.get(parseInt(line.slice(1, dot), 36))!.toString(36) + line.slice(dot);
  };
  return linesIn(text).map(renumber).join(SEPARATOR);
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
