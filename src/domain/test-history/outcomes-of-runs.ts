/** The outcomes of a test by run: attempts of one run are one outcome. */
import type { StatusWord } from '../results/result.js';
import { attemptIn, entriesIn, resultIdInEntry, runsIn, type Origins } from './packed-entry.js';

export type FinalWord = Extract<StatusWord, 'passed' | 'failed' | 'skipped' | 'known_fail'>;
/** `flaky`: it passed in its last attempt, and failed in another one. */
export type RunWord = FinalWord | 'flaky';
/** `run`: as `runHash` names it; null for a result without one. */
export type OutcomeOfRun = { run: string | null; outcome: RunWord };

type Entry = { result_id: string; status: FinalWord };
type Found = { run: string | null; status: FinalWord; attempt: number; failed: boolean };

/**
 * `origins`, `packed`: the history of the test, which knows the runs of its newest results. `entries`: some entries, newest
 * first; those from the first one on whose run is not known are left out. A result without a run counts as one of its own.
 */
export function outcomesOfRuns(
  { origins, packed }: { origins: Origins; packed: string },
  entries: readonly Entry[],
): OutcomeOfRun[] {
  const known = entriesIn(packed);
  const runs = runsIn(origins, known);
  const places = new Map(
    known.map((entry, n) => [
      resultIdInEntry(origins, entry),
      { run: runs[n] ?? null, attempt: attemptIn(entry) },
    ]),
  );
  const found = new Map<string, Found>();
  for (const { result_id, status } of entries) {
    const place = places.get(result_id);
    if (place === undefined) break;
    const { run, attempt } = place;
    const newer = found.get(run ?? result_id);
    const failed = status === 'failed' || newer?.failed === true;
    // An attempt may arrive late. Of a corrected result the attempt is not known: it counts by its place. One that did not run
    // decides nothing where another one did.
    const decides =
      newer === undefined || attempt > newer.attempt || (hasRun(status) && !hasRun(newer.status));
    if (decides) found.set(run ?? result_id, { run, status, attempt, failed });
    else newer.failed = failed;
  }
  return [...found.values()].map(({ run, status, failed }) => ({
    run,
    outcome: status === 'passed' && failed ? 'flaky' : status,
  }));
}

function hasRun(status: FinalWord): boolean {
  return status !== 'skipped';
}

/** `hash`: of its id (`runHash`). */
export type ShownRun = { hash: string; tool: string | null; environment_key: string };

/**
 * The outcomes in the runs that are like the one of the newest outcome, of the same tool and environment; null where the test did
 * not run. `runs`: the newest ones of the branch, newest first. Where that run is not among them, its tool is not known, nor
 * which runs lack the test: then they are the outcomes of all runs that are not among them.
 */
export function inLikeRuns(
  outcomes: readonly OutcomeOfRun[],
  runs: readonly ShownRun[],
): { tool: string | null; outcomes: (RunWord | null)[] } {
  const shown = new Map(runs.map((run) => [run.hash, run]));
  const newest = outcomes[0]?.run ?? null;
  const own = newest === null ? undefined : shown.get(newest);
  if (own === undefined) {
    const others = outcomes.filter(({ run }) => run === null || !shown.has(run));
    return { tool: null, outcomes: others.map(({ outcome }) => outcome) };
  }
  const found = new Map(outcomes.map(({ run, outcome }) => [run, outcome]));
  const like = [...shown].filter(
    ([, { tool, environment_key }]) => tool === own.tool && environment_key === own.environment_key,
  );
  const cells = like.map(([hash]) => found.get(hash) ?? null);
  // Of runs before the oldest outcome it is not known whether the test ran.
  return { tool: own.tool, outcomes: cells.slice(0, cells.findLastIndex((cell) => cell !== null) + 1) };
}
