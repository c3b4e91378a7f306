/** What the API says of a project: of its runs, its tests, and since when each failing result fails. */
import type { ComparisonCounts } from '../../src/domain/comparison/compare.js';
import type { Counts } from '../../src/domain/counts.js';
import type { FailingRow } from '../../src/domain/test-history/failing-row.js';
import { bodyOf } from '../http/given.js';
import type { Api } from '../kit/client.js';
import type { ModelGate } from './gates.model.js';

export type Said = {
  runs: Record<string, SaidOfRun>;
  tests: Record<string, SaidOfTest>;
  /** Of each failing result; null where the contract leaves it open. */
  rows: Record<string, FailingRow | null>;
};

export type SaidOfRun = {
  status: string;
  outcome: string | null;
  empty: boolean;
  counts: Counts;
  standing: Counts;
  comparison: SaidOfComparison;
  /** Null where it is not compared. */
  gate: ModelGate | null;
};
type SaidOfComparison = Record<'new_failures' | 'still_failing' | 'fixed' | 'removed' | 'tests', number> & {
  baseline: string | null;
  counts: ComparisonCounts;
  passed_over: { runs: number; reason: string } | null;
  baseline_tests: number | null;
};
type History = { state: string; last_outcomes: string[]; failure_rate: number };
export type SaidOfTest = History & { lines: SaidOfLine[] };
type SaidOfLine = History & { environment: string };

export async function saidByApi(api: Api, project: string): Promise<Said> {
  const said: Said = { runs: {}, tests: {}, rows: {} };
  const listed = await bodyOf(api, `/v1/test-runs?project_id=${project}&per_page=100`);
  for (const { id } of listed.data) {
    const { data: run } = await bodyOf(api, `/v1/test-runs/${id}`);
    const { status, outcome, empty, counts, standing_counts: standing } = run;
    const gate = { gate: run.gate, reasons: run.gate_reasons, settings: run.gate_settings };
    const { data } = await bodyOf(api, `/v1/test-runs/${id}/comparison`);
    const comparison = comparisonIn(data);
    said.runs[id] = { status, outcome, empty, counts, standing, gate, comparison };
  }
  const { data: tests } = await bodyOf(api, `/v1/projects/${project}/tests?per_page=100`);
  for (const { id, state, last_outcomes: outcomes, failure_rate: rate, environments } of tests) {
    const lines = environments
      .map(({ environment_key: environment, ...line }: any) => {
        const { state: own, last_outcomes, failure_rate } = line;
        return { environment, state: own, last_outcomes, failure_rate };
      })
      .toSorted((one: SaidOfLine, other: SaidOfLine) => (one.environment < other.environment ? -1 : 1));
    said.tests[id] = { state, last_outcomes: outcomes, failure_rate: rate, lines };
    for (let page = 1; ; page += 1) {
      const path = `/v1/projects/${project}/tests/${id}/history?per_page=100&page=${page}`;
      const { data, pagination } = await bodyOf(api, path);
      for (const { id: result, status, failing_since, last_passed } of data)
        if (status === 'failed') said.rows[result] = { failing_since, last_passed };
      if (page >= pagination.total_pages) break;
    }
  }
  return said;
}

/** `compared`: an answer of the comparison. */
export function comparisonIn(compared: any): SaidOfComparison {
  const { baseline, passed_over, counts, tests, baseline_tests } = compared;
  const { new_failures, still_failing, fixed, removed } = counts;
  const numbers = { new_failures, still_failing, fixed, removed, tests, baseline_tests, counts };
  return { baseline: baseline?.id ?? null, passed_over, ...numbers };
}
