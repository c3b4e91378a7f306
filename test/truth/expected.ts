/** What must be said of a history, by the models that keep everything. They read the events that a server wrote. */
import type { RunDocument } from '../../projections/records/run-documents.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { rowsOf } from '../projections/failing-rows.model.js';
import { modelOf } from '../projections/model.js';
import { comparisonsOf } from '../queries/comparisons.model.js';
import { modelOutcomes, modelRate } from '../domain/test-history/model.js';
import { expectedOf } from '../webhooks/outbox/expected-messages.js';
import { gateIn } from './gates.model.js';
import type { Said, SaidOfRun, SaidOfTest } from './said.js';

/** Of a history with more runs, the gates of some are compared: for each, everything before it is looked up again. */
const GATES = 6;

export function expectedFrom(events: readonly LedgerEvent[]): Said {
  const views = modelOf(events);
  const comparisonOf = comparisonsOf(events, views);
  const runs = [...views].flatMap(([key, one]) => (key.startsWith('runs/') ? [one as RunDocument] : []));
  return {
    runs: Object.fromEntries(
      runs.map((run, n): [string, SaidOfRun] => {
        const { test_run_id, status, outcome, standing } = run;
        const comparison = comparisonOf(test_run_id);
        const empty = status === 'Completed' && comparison.tests === 0;
        const said = { status: status.toLowerCase(), outcome, empty, standing, comparison };
        const gate = n % Math.ceil(runs.length / GATES) === 0 ? gateIn(events, run) : null;
        return [test_run_id, { ...said, gate }];
      }),
    ),
    tests: testsOf(events),
    rows: Object.fromEntries(rowsOf(events).rows),
  };
}

function testsOf(events: readonly LedgerEvent[]): Record<string, SaidOfTest> {
  const { tests } = expectedOf(events);
  return Object.fromEntries(
    [...tests].map(([id, { entries, lines }]): [string, SaidOfTest] => {
      const listed = new Set(entries.map(({ environment }) => environment));
      const shown = [...listed].sort().map((environment) => {
        const { model } = lines.get(environment)!;
        return {
          environment,
          state: model.state,
          last_outcomes: modelOutcomes(model),
          failure_rate: modelRate(model),
        };
      });
      const states = shown.map(({ state }) => state);
      const state = (['broken', 'flaky'] as const).find((one) => states.includes(one)) ?? 'stable';
      return [id, { state, lines: shown }];
    }),
  );
}
