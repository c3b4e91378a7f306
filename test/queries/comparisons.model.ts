/**
 * The baseline of each run, and what is new in the run, looked up in all that happened: slow, plain, and from the contract.
 * The histories have no known failures, and no names or files by which a test could have another name now.
 */
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import { environmentKeyIn, resultEnvironment } from '../../src/domain/environment.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { modelOf } from '../projections/model.js';
import { isIncomplete } from '../webhooks/outbox/expected-verdicts.js';

/** The results of a test in one environment of a run that count: they have a final status, and are not superseded. */
type Line = { statuses: string[] };

export function comparisonsOf(
  events: readonly LedgerEvent[],
  views: ReadonlyMap<string, object> = modelOf(events),
) {
  const runs = [...views].flatMap(([key, one]) => (key.startsWith('runs/') ? [one as RunDocument] : []));
  const newestFirst = runs.toSorted((one, other) => (one.created_position < other.created_position ? 1 : -1));
  const linesOf = linesByRun(events, views);
  const sizeOf = (run: RunDocument) => [...(linesOf.get(run.test_run_id)?.values() ?? [])].filter(ran).length;
  const likes = (run: RunDocument) =>
    JSON.stringify([run.metadata?.['tool'] ?? null, environmentKeyIn(run.metadata)]);

  return (id: string) => {
    const run = runs.find(({ test_run_id }) => test_run_id === id)!;
    const same = newestFirst.filter(
      (one) => one.status === 'Completed' && one.branch === 'main' && likes(one) === likes(run),
    );
    const older = same.filter(({ created_position }) => created_position < run.created_position);
    const reasons = older.map((one) => {
      const tests = sizeOf(one);
      const ten = same.filter(({ created_position }) => created_position < one.created_position).slice(0, 10);
      if (one.baseline === 'fit') return null;
      if (one.baseline === 'unfit') return 'set_aside';
      if (tests === 0) return 'empty';
      if (isIncomplete(one.test_run_id, events)) return 'incomplete';
      return ten.every((other) => 2 * tests >= sizeOf(other)) ? null : 'too_small';
    });
    const fit = reasons.indexOf(null);
    const passedOver = fit === -1 ? reasons.length : fit;
    const here = linesOf.get(id) ?? new Map<string, Line>();
    const before = fit === -1 ? null : (linesOf.get(older[fit]!.test_run_id) ?? new Map<string, Line>());
    const failed = (line: Line | undefined) => line?.statuses.includes('Failed') === true;
    const count = (status: string, wanted: (key: string) => boolean) =>
      [...here].flatMap(([key, line]) => (wanted(key) ? line.statuses : [])).filter((one) => one === status)
        .length;
    return {
      baseline: older[fit]?.test_run_id ?? null,
      passed_over: passedOver === 0 ? null : { runs: passedOver, reason: reasons[0]! },
      new_failures: count('Failed', (key) => !failed(before?.get(key))),
      still_failing: count('Failed', (key) => failed(before?.get(key))),
      fixed: count('Passed', (key) => failed(before?.get(key)) && !failed(here.get(key))),
      // The same title in another environment is another test.
      removed: [...(before ?? [])].filter(([key, line]) => ran(line) && !here.has(key)).length,
      tests: sizeOf(run),
      baseline_tests: before === null ? null : [...before.values()].filter(ran).length,
    };
  };
}

/** By run, then by test and environment. */
function linesByRun(events: readonly LedgerEvent[], views: ReadonlyMap<string, object>) {
  const births = new Map(
    events.flatMap(({ type, data, meta }) =>
      type === 'ResultCreated' || type === 'ResultSubmitted' ? [[data.result_id, meta] as const] : [],
    ),
  );
  const linesOf = new Map<string, Map<string, Line>>();
  for (const [key, one] of views) {
    if (!key.startsWith('results/')) continue;
    const { test_run_id: run, test_result_id, test_name, metadata, status, ...more } = one as ResultDocument;
    const counts = more.superseded_by === null && more.replaced_by === undefined;
    if (run === null || !counts || status === 'Pending' || status === 'Running') continue;
    const environment = resultEnvironment(births.get(test_result_id)!.facts?.environment ?? '', metadata);
    const lines = linesOf.get(run) ?? new Map<string, Line>();
    linesOf.set(run, lines);
    const line = lines.get(`${test_name} ${environment}`) ?? { statuses: [] };
    line.statuses.push(status);
    lines.set(`${test_name} ${environment}`, line);
  }
  return linesOf;
}

function ran({ statuses }: Line): boolean {
  return statuses.some((status) => status !== 'Skipped');
}
