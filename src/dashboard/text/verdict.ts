/** The first line about a run: what failed, what of it is new, and how long it took. */
import type { components } from '../../client/api.generated.js';
import { stateOf, type RunState } from '../../domain/runs/run-state.js';
import { defaultGate } from '../../domain/gate/judge-gate.js';
import { gateReasonText } from '../../domain/text/gate.js';
import { capitalized, counted, number } from '../../domain/text/amounts.js';
import { onOneLine } from '../../domain/text/harmless.js';
import { failuresOf, kindsOfFailures, restOf } from '../../domain/text/verdict.js';
import { outcomeWord } from '../parts/outcome.js';
import { duration, durationChange } from '../parts/time.js';

type Run = components['schemas']['TestRun'];

export type VerdictFacts = {
  run: Run;
  comparison: components['schemas']['Comparison'];
  project: { default_branch: string };
  baseline: Run | null;
};

export type Verdict = {
  /** The sign of the run. */
  outcome: RunState;
  /** `12 failed: 3 new, 7 also on main, 2 known` */
  head: string;
  /** `2 flaky`, `48,211 passed`, `6m 12s (+38 s)` */
  rest: string[];
};

export function verdictOf({ run, comparison, project, baseline }: VerdictFacts): Verdict {
  const took = run.status === 'completed' ? run.duration_ms : null;
  const change = took === null ? '' : durationChange(took, baseline?.duration_ms ?? null);
  return {
    outcome: stateOf(run),
    head: headOf(run, comparison, project.default_branch),
    rest: [
      ...restOf(run, comparison.counts),
      ...(took === null ? [] : [change === '' ? duration(took) : `${duration(took)} (${change})`]),
    ],
  };
}

/** Why the gate failed; empty where it did not. What is said of missing tests stands beside it. */
export function gateReasonsOf({ run, comparison }: Pick<VerdictFacts, 'run' | 'comparison'>): string {
  const { gate_reasons, gate_settings } = run;
  return gate_reasons
    .map((reason) => gateReasonText(reason, { run, comparison, missing: '' }, gate_settings ?? defaultGate))
    .join(', ');
}

function headOf(run: Run, comparison: VerdictFacts['comparison'], branch: string): string {
  const { status, counts, branch: own } = run;
  const failures = failuresOf(comparison.counts);
  if (failures > 0) {
    const kinds = kindsOfFailures(comparison.counts, {
      hasBaseline: comparison.baseline !== null,
      isOnDefault: own === branch,
      branch: onOneLine(branch, 60),
    });
    return `${number(failures)} failed: ${kinds}`;
  }
  if (status !== 'completed') return counts.total === 0 ? 'Waiting for results' : 'Nothing failed so far';
  const state = stateOf(run);
  if (state === 'empty' || state === 'unfinished') return capitalized(outcomeWord(state));
  return state === 'skipped' ? 'Nothing ran' : 'Nothing failed';
}

/** The shards that have not come, as `3, 7–9`; the first few. */
export function missingShards({ total, received }: NonNullable<Run['shards']>): string | null {
  const there = new Set(received.map(({ index }) => index));
  const missing = Array.from({ length: total }, (_, n) => n + 1).filter((index) => !there.has(index));
  if (missing.length === 0) return null;
  const ranges: [number, number][] = [];
  for (const index of missing) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  const shown = ranges.slice(0, 8).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return `${shown.join(', ')}${ranges.length > shown.length ? ', …' : ''} (${counted(missing.length, 'shard')})`;
}
