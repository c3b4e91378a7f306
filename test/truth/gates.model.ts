/**
 * The gate of each run, decided as if for the first time at the event that decided it: the run's completion, or the last change
 * of a final result after it. What was said of the baseline or of the settings since turns no verdict.
 */
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import { resultEnvironment } from '../../src/domain/environment.js';
import { judgeGate, type GateJudgement, type GateSettings } from '../../src/domain/gate/judge-gate.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { modelOf } from '../projections/model.js';
import { comparisonsOf } from '../queries/comparisons.model.js';
import { isIncomplete, settingsOf } from '../webhooks/outbox/expected-verdicts.js';

export type ModelGate = {
  gate: GateJudgement['gate'] | null;
  reasons: string[];
  settings: GateSettings | null;
};

/** Null where it is open whether a change of a result that is not final decides anew: with other settings it may. */
export function gateIn(events: readonly LedgerEvent[], run: RunDocument): ModelGate | null {
  if (run.status !== 'Completed') return { gate: null, reasons: [], settings: null };
  const id = run.test_run_id;
  const decided = decidingEvent(events, id);
  if (events.slice(decided + 1).some(({ type, data }) => type.startsWith('Result') && isOf(data, id)))
    return null;
  const until = events.slice(0, decided + 1);
  const { new_failures, still_failing, removed, tests, baseline_tests } = comparisonsOf(until)(id);
  const settings = settingsOf(run, until);
  const judged = judgeGate(settings, {
    new_failures,
    failing: new_failures + still_failing,
    known: 0,
    flaky: 0,
    removed,
    baseline_tests,
    tests,
    empty: tests === 0,
    incomplete: isIncomplete(id, until),
    report_failed: false,
  });
  return { ...judged, settings };
}

function decidingEvent(events: readonly LedgerEvent[], run: string): number {
  // Those of other runs change no result of this one, and to fold them again and again would take most of the time.
  const own = events.filter(({ data }) => isOf(data, run));
  const completed = own.findLastIndex(({ type }) => type === 'RunCompleted');
  let n = own.length - 1;
  for (let after = finalResults(own, run); n > completed; n -= 1) {
    const before = finalResults(own.slice(0, n), run);
    if (before !== after) break;
    after = before;
  }
  return events.indexOf(own[n]!);
}

function isOf(data: LedgerEvent['data'], run: string): boolean {
  return 'run_id' in data && data.run_id === run;
}

/** The final results of a run, and what supersedes them. */
function finalResults(events: readonly LedgerEvent[], run: string): string {
  const results = [...modelOf(events)].flatMap(([key, one]) => {
    const { test_run_id, status, test_result_id, ...more } = one as ResultDocument;
    const isFinal = key.startsWith('results/') && status !== 'Pending' && status !== 'Running';
    if (!isFinal || test_run_id !== run) return [];
    const environment = resultEnvironment(more.call_environment ?? '', more.metadata);
    return [[test_result_id, status, environment, more.superseded_by, more.replaced_by]];
  });
  return JSON.stringify(results);
}
