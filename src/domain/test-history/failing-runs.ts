/**
 * The row of runs in which a test failed last, over its newest verdicts. A test with a row of 20 is broken
 * (docs/api.md, section 5.2). A run counts once, by the last attempt of the test in it, at the place of its newest
 * verdict. A result without a run counts as one.
 */
import { attemptIn, entriesIn, hasFailed, isVerdict, ofRun, runsIn, type Origins } from './packed-entry.js';

export const BROKEN_RUNS = 20;

/**
 * The number of failing runs in a row up to now. `packed`: the entries, newest first. `dropped`: the row of the runs
 * before them.
 */
export function failingRuns(origins: Origins, packed: string, dropped: number): number {
  let count = 0;
  for (const last of lastAttempts(origins, verdictsIn(packed))) {
    if (!hasFailed(last)) return count;
    count += 1;
  }
  return count + dropped;
}

/** For each run, whether the test passed in its last attempt there; null where no entry is a verdict of the run. */
export function passesIn(
  { origins, packed }: { origins: Origins; packed: string },
  runIds: readonly string[],
): (boolean | null)[] {
  const verdicts = verdictsIn(packed);
  return runIds.map((id) => {
    const isOfRun = ofRun(id);
    const [last] = lastAttempts(
      origins,
      verdicts.filter((verdict) => isOfRun(origins, verdict, 0)),
    );
    return last === undefined ? null : !hasFailed(last);
  });
}

/** The row of the runs before the remaining entries, once the oldest verdict of them is dropped. */
export function withDropped(
  origins: Origins,
  { verdict, remaining }: { verdict: string; remaining: string },
  dropped: number,
): number {
  // Most tests only pass, or only fail: nothing changes then.
  if (dropped === (hasFailed(verdict) ? BROKEN_RUNS : 0)) return dropped;
  const [run, ...others] = runsIn(origins, [verdict, ...verdictsIn(remaining)]);
  // Its run counts when its last verdict is dropped.
  if (run !== null && others.includes(run!)) return dropped;
  return hasFailed(verdict) ? Math.min(dropped + 1, BROKEN_RUNS) : 0;
}

/** For each run, the verdict of its last attempt; the runs with the newest verdicts first. */
function lastAttempts(origins: Origins, verdicts: readonly string[]): Iterable<string> {
  const last = new Map<string | number, string>();
  runsIn(origins, verdicts).forEach((run, n) => {
    const verdict = verdicts[n]!;
    const key = run ?? n;
    const newer = last.get(key);
    // An attempt may arrive late. Of a corrected result the attempt is not known: it counts by its place.
    if (newer === undefined || attemptIn(verdict) > attemptIn(newer)) last.set(key, verdict);
  });
  return last.values();
}

function verdictsIn(packed: string): string[] {
  return entriesIn(packed).filter((entry) => isVerdict(entry));
}
