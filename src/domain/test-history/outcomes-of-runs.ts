/** The outcomes of a test by run: attempts of one run are one outcome. */
import type { StatusWord } from '../result.js';
import { attemptIn, entriesIn, isVerdict, resultIdInEntry, runsIn, type Origins } from './packed-entry.js';

export type FinalWord = Extract<StatusWord, 'passed' | 'failed' | 'skipped' | 'known_fail'>;
/** `flaky`: it passed in its last attempt, and failed in another one. */
export type RunWord = FinalWord | 'flaky';

type Entry = { result_id: string; status: FinalWord };
type Found = { status: FinalWord; attempt: number; failed: boolean };

/**
 * `origins`, `packed`: the history of the test, which knows the runs of its newest passes and failures. `entries`: some entries,
 * newest first; those from the first one on whose run is not known are left out. Others count as runs of their own.
 */
export function outcomesOfRuns(
  { origins, packed }: { origins: Origins; packed: string },
  entries: readonly Entry[],
): RunWord[] {
  const verdicts = entriesIn(packed).filter((entry) => isVerdict(entry));
  const runs = runsIn(origins, verdicts);
  const places = new Map(
    verdicts.map((verdict, n) => [
      resultIdInEntry(origins, verdict),
      { run: runs[n] ?? null, attempt: attemptIn(verdict) },
    ]),
  );
  const found = new Map<string, Found>();
  for (const { result_id, status } of entries) {
    const place = places.get(result_id);
    if (place === undefined && (status === 'passed' || status === 'failed')) break;
    const { run = null, attempt = NaN } = place ?? {};
    const key = run ?? result_id;
    const newer = found.get(key);
    const failed = status === 'failed' || newer?.failed === true;
    // An attempt may arrive late. Of a corrected result the attempt is not known: it counts by its place.
    if (newer === undefined || attempt > newer.attempt) found.set(key, { status, attempt, failed });
    else newer.failed = failed;
  }
  return [...found.values()].map(({ status, failed }) => (status === 'passed' && failed ? 'flaky' : status));
}
