/** What must be said of a history, by the models that keep everything. They read the events that a server wrote. */
import type { ResultDocument, RunDocument } from '../../projections/records/run-documents.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { statusWords } from '../../src/domain/results/result.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { rowsOf } from '../projections/failing-rows.model.js';
import { modelOf } from '../projections/model.js';
import { comparisonsOf } from '../queries/comparisons.model.js';
import { modelOutcomes, modelRate } from '../domain/test-history/model.js';
import { expectedOf, type Test } from '../webhooks/outbox/expected-messages.js';
import { gateIn } from './gates.model.js';
import { comparedCounts } from '../webhooks/outbox/expected-verdicts.js';
import type { Said, SaidOfRun, SaidOfTest } from './said.js';

/** Of a history with more runs, the gates of some are compared: for each, everything before it is looked up again. */
const GATES = 6;

/** A result as it is, or its entry in the history of its test. */
type OneResult = { word: string; run: string | null; test: string };

export type Facts = { said: Said; results: Map<string, OneResult>; entries: Map<string, OneResult> };

export function expectedFrom(events: readonly LedgerEvent[]): Facts {
  const views = modelOf(events);
  const { tests } = expectedOf(events);
  const results = new Map(
    [...views].flatMap(([key, one]): [string, OneResult][] => {
      if (!key.startsWith('results/')) return [];
      const { test_result_id: id, project_id, test_name, test_run_id: run, status } = one as ResultDocument;
      return [[id, { word: statusWords[status], run, test: testIdOf(project_id, test_name) }]];
    }),
  );
  const entries = new Map(
    [...tests].flatMap(([test, { entries: all }]) =>
      all.map(({ result_id, word }): [string, OneResult] => [
        result_id,
        { word, run: results.get(result_id)!.run, test },
      ]),
    ),
  );
  const rows = Object.fromEntries(rowsOf(events).rows);
  return { said: { runs: runsOf(events, views, tests), tests: testsOf(tests), rows }, results, entries };
}

function runsOf(
  events: readonly LedgerEvent[],
  views: ReadonlyMap<string, object>,
  tests: ReadonlyMap<string, Test>,
): Said['runs'] {
  const comparisonOf = comparisonsOf(events, views);
  const finals = new Map([...tests].map(([id, { name, entries }]) => [id, { name, results: entries }]));
  const runs = [...views].flatMap(([key, one]) => (key.startsWith('runs/') ? [one as RunDocument] : []));
  return Object.fromEntries(
    runs.map((run, n): [string, SaidOfRun] => {
      const { test_run_id, status, outcome, counts, standing } = run;
      const compared = comparisonOf(test_run_id);
      const counted = comparedCounts({ run: test_run_id, baseline: compared.baseline }, views, finals);
      const comparison = { ...compared, counts: counted };
      const empty = status === 'Completed' && comparison.tests === 0;
      const gate = n % Math.ceil(runs.length / GATES) === 0 ? gateIn(events, run) : null;
      return [
        test_run_id,
        { status: status.toLowerCase(), outcome, empty, counts, standing, comparison, gate },
      ];
    }),
  );
}

function testsOf(tests: ReadonlyMap<string, Test>): Said['tests'] {
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
      const words = entries.map(({ word }) => word).toReversed();
      const window = words.slice(0, 50);
      const failure_rate = window.filter((word) => word === 'failed').length / window.length;
      return [id, { state, last_outcomes: words.slice(0, 20), failure_rate, lines: shown }];
    }),
  );
}
