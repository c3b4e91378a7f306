/**
 * The verdicts of a test on a branch as the document of the branch has them: one line of text each, newest first, and the
 * runs and commits that they are from once. Each test has such a document for each branch, so it is most of what a test
 * takes on the disk; as JSON, four verdicts take 600 bytes.
 *
 *     1  p (passed) or f (failed); P or F if another result counts in place of it
 *     1  the number of its origin; `-` if it has no moment any more
 *     *  its instant: the milliseconds since 1970 in base 36; empty if the origin has it
 *     *  `.` and the id of the result without `result_`
 */
import { LRUCache } from 'lru-cache';
import type { Instant } from '../event.js';
import type { Moment, Verdict } from './failing-row.js';

/** Where verdicts are from. It has an instant only if that is not written as milliseconds of UTC. */
export type Origin = readonly [run_id: string | null, commit: string | null, at?: Instant];

export type PackedVerdicts = { verdicts: string; origins: readonly Origin[] };

const PREFIX = 'result_';
const SEPARATOR = ' ';

/** For ids of results, and up to ten verdicts. */
export function packVerdicts(verdicts: readonly Verdict[]): PackedVerdicts {
  const origins: Origin[] = [];
  let lines = '';
  for (const { result_id, passed, superseded, moment } of verdicts) {
    const letter = passed ? 'p' : 'f';
    lines += `${lines === '' ? '' : SEPARATOR}${superseded === true ? letter.toUpperCase() : letter}`;
    lines += `${moment === undefined ? '-' : placeOf(moment, origins)}.${result_id.slice(PREFIX.length)}`;
  }
  return { verdicts: lines, origins };
}

/** The number of the origin, which is added if it is new, and the instant. */
function placeOf({ run_id, commit, at }: Moment, origins: Origin[]): string {
  const ms = inBase36(at);
  const own = ms === '' ? at : undefined;
  for (let n = 0; n < origins.length; n += 1) {
    const origin = origins[n]!;
    if (origin[0] === run_id && origin[1] === commit && origin[2] === own) return n + ms;
  }
  return origins.push(own === undefined ? [run_id, commit] : [run_id, commit, own]) - 1 + ms;
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

function instantOf(ms: string): Instant {
  const known = instants.get(ms);
  if (known !== undefined) return known;
  const at = new Date(parseInt(ms, 36)).toISOString();
  instants.set(ms, at);
  return at;
}

export function verdictsIn({ verdicts, origins }: PackedVerdicts): Verdict[] {
  if (verdicts === '') return [];
  return verdicts.split(SEPARATOR).map((line) => {
    const dot = line.indexOf('.');
    const letter = line[0]!;
    const verdict: Verdict = {
      result_id: `${PREFIX}${line.slice(dot + 1)}`,
      passed: letter === 'p' || letter === 'P',
    };
    if (line[1] !== '-') verdict.moment = momentAt(origins[Number(line[1])]!, line.slice(2, dot));
    if (letter === 'P' || letter === 'F') verdict.superseded = true;
    return verdict;
  });
}

function momentAt([run_id, commit, at]: Origin, ms: string): Moment {
  return { run_id, commit, at: at ?? instantOf(ms) };
}
