/** What must be said of a run at its completion, looked up in the whole history: slow, plain, and from the contract. */
import type { ResultDocument, RunDocument } from '../../../projections/records/run-documents.js';
import { defaultGate, judgeGate, type GateSettings } from '../../../src/domain/gate/judge-gate.js';
import { environmentKeyIn } from '../../../src/domain/environment.js';
import type { LedgerEvent } from '../../../src/domain/events.js';

/** The newest final status of a result, with what its test was like when it was set. */
export type FinalResult = {
  result_id: string;
  word: string;
  environment: string;
  known: boolean;
  /** A known failure of its test was in force then, and is not of this result. */
  known_elsewhere: boolean;
  flaky: boolean;
  slower: boolean;
};

type Views = ReadonlyMap<string, object>;

/** `views`: the read models at the completion; `finals`: the final results by the id of their test, with their names. */
export function expectedVerdict(runId: string, until: readonly LedgerEvent[], views: Views, finals: Finals) {
  const run = views.get(`runs/${runId}`) as RunDocument;
  const { baseline, passed_over } = baselineOf(run, { until, views, finals });
  const here = testsOf(runId, views, finals);
  const before = baseline === null ? null : testsOf(baseline.test_run_id, views, finals);
  const counts = countKinds(here, before);
  const tests = [...here.values()].filter(ran).length;
  const ref = baseline && {
    id: baseline.test_run_id,
    commit: textIn(baseline, 'commit'),
    created_at: baseline.created_at,
  };
  const baseline_tests = before && [...before.values()].filter(ran).length;
  const { gate, reasons: gate_reasons } = judgeGate(settingsOf(run, until), {
    new_failures: counts.new_failures,
    failing: counts.new_failures + counts.still_failing,
    known: counts.known,
    flaky: counts.flaky,
    removed: counts.removed,
    baseline_tests,
    tests,
    empty: tests === 0,
    incomplete: isIncomplete(runId, until),
    report_failed: false,
  });
  return {
    gate,
    gate_reasons,
    comparison: { baseline: ref, passed_over, counts, tests, baseline_tests, removed_files: 0 },
  };
}

/** How many results of a run are of each kind, beside those of its baseline. */
export function comparedCounts(
  { run, baseline }: { run: string; baseline: string | null },
  views: Views,
  finals: Finals,
) {
  const before = baseline === null ? null : testsOf(baseline, views, finals);
  return countKinds(testsOf(run, views, finals), before);
}

type Tests = ReturnType<typeof testsOf>;

function countKinds(here: Tests, before: Tests | null) {
  const counts = {
    new_failures: 0,
    still_failing: 0,
    fixed: 0,
    flaky: 0,
    known: 0,
    added: 0,
    removed: 0,
    renamed_maybe: 0,
    slower: 0,
  };
  for (const [test, results] of here) {
    const standing = results.filter(({ superseded }) => !superseded);
    const others = before?.get(test);
    const failed = (all: typeof results = []) => all.some((one) => one.word === 'failed' && !one.superseded);
    const failedUnknown = failed(others?.filter(({ known }) => !known));
    for (const { word, known, known_elsewhere, flaky, slower } of standing) {
      if (word === 'failed') {
        const still = failedUnknown || (known_elsewhere && failed(others));
        counts[known ? 'known' : still ? 'still_failing' : 'new_failures'] += 1;
      }
      if (word === 'passed' && failed(others) && !failed(results)) counts.fixed += 1;
      const retried = word === 'passed' && results.some((one) => one.superseded && one.word === 'failed');
      if (retried || (flaky && (word === 'passed' || word === 'failed'))) counts.flaky += 1;
      if (before !== null && !isThere(others)) counts.added += 1;
      if (slower) counts.slower += 1;
    }
  }
  const titleOf = (results: FinalsOfTest) => `${results[0]!.title} ${results[0]!.environment}`;
  const addedTitles = [...here].flatMap(([test, results]) =>
    before !== null && isThere(results) && !isThere(before.get(test)) ? [titleOf(results)] : [],
  );
  for (const [test, results] of before ?? []) {
    if (!ran(results) || isThere(here.get(test))) continue;
    const renamed = addedTitles.indexOf(titleOf(results));
    if (renamed !== -1) addedTitles.splice(renamed, 1);
    counts[renamed === -1 ? 'removed' : 'renamed_maybe'] += 1;
  }
  return counts;
}

/** Whether fewer shards of a run have come than it has. */
export function isIncomplete(id: string, until: readonly LedgerEvent[]): boolean {
  const shards = until.flatMap(({ type, data }) =>
    type === 'ItemsSubmitted' && data.run_id === id && data.shard !== null ? [data.shard] : [],
  );
  const ended = until.findLast(({ type, data }) => type === 'RunCompleted' && data.run_id === id);
  const lacksShards =
    shards[0] !== undefined && new Set(shards.map(({ index }) => index)).size < shards[0].total;
  return lacksShards || (ended?.type === 'RunCompleted' && ended.data.reason === 'idle');
}

function isThere(results: readonly { superseded: boolean }[] = []): boolean {
  return results.some(({ superseded }) => !superseded);
}

function ran(results: readonly { word: string; superseded: boolean }[]): boolean {
  return results.some(({ word, superseded }) => word !== 'skipped' && !superseded);
}

/** The default branch of a project, by its events. */
export function defaultBranchOf(until: readonly LedgerEvent[], project: string): string {
  const named = until.flatMap(({ type, data }) =>
    (type === 'ProjectCreated' || type === 'ProjectDescribed') && data.project_id === project
      ? (data.default_branch ?? [])
      : [],
  );
  return named.at(-1) ?? 'main';
}

/** The settings of the run's project before those of its team, by their events. */
export function settingsOf(
  { project_id, team_id }: Pick<RunDocument, 'project_id' | 'team_id'>,
  until: readonly LedgerEvent[],
): GateSettings {
  const ofTeam = until.findLast(
    ({ type, meta }) => type === 'TeamSettingsChanged' && meta.team_id === team_id,
  );
  const ofProject = until.findLast(
    ({ type, data }) =>
      type === 'ProjectDescribed' && data.project_id === project_id && data.gate !== undefined,
  );
  return { ...defaultGate, ...gateIn(ofTeam), ...gateIn(ofProject) };
}

function gateIn(event: LedgerEvent | undefined): object {
  return event !== undefined && 'gate' in event.data ? (event.data.gate ?? {}) : {};
}

type FinalsOfTest = readonly (FinalResult & { superseded: boolean; title: string })[];
type Finals = ReadonlyMap<string, { name: string; results: readonly FinalResult[] }>;
type History = { until: readonly LedgerEvent[]; views: Views; finals: Finals };

/** The newest fit run of the default branch that was created before this one and completed before now, of its tool and environment. */
function baselineOf(run: RunDocument, { until, views, finals }: History) {
  const before = until.slice(0, -1);
  const candidates = [...views]
    .filter(([key]) => key.startsWith('runs/'))
    .map(([, document]) => document as RunDocument)
    .filter(
      (one) =>
        one.project_id === run.project_id &&
        isCompleted(one.test_run_id, before) &&
        textIn(one, 'branch') === defaultBranchOf(until, run.project_id) &&
        textIn(one, 'tool') === textIn(run, 'tool') &&
        environmentKeyIn(one.metadata) === environmentKeyIn(run.metadata),
    );
  candidates.sort((one, other) => (one.created_position < other.created_position ? 1 : -1));
  const older = candidates.filter(({ created_position }) => created_position < run.created_position);
  const testsOfRun = ({ test_run_id }: RunDocument) =>
    [...testsOf(test_run_id, views, finals).values()].filter(ran).length;
  const reasons = older.map((one) => {
    const tests = testsOfRun(one);
    const ten = candidates.filter((other) => other.created_position < one.created_position).slice(0, 10);
    const word = (one as { baseline?: string | null }).baseline ?? null;
    if (word !== null) return word === 'unfit' ? 'set_aside' : null;
    if (tests === 0) return 'empty';
    if (isIncomplete(one.test_run_id, before)) return 'incomplete';
    return ten.some((other) => tests < testsOfRun(other) / 2) ? 'too_small' : null;
  });
  const fit = reasons.indexOf(null);
  const runs = fit === -1 ? reasons.length : fit;
  return { baseline: older[fit] ?? null, passed_over: runs === 0 ? null : { runs, reason: reasons[0]! } };
}

/** Whether the last event that starts, ends or resets a run ends it. */
function isCompleted(id: string, events: readonly LedgerEvent[]): boolean {
  const last = events.findLast(
    ({ type, data }) =>
      /^Run(Started|Completed|ReturnedToPending)$/.test(type) && 'run_id' in data && data.run_id === id,
  );
  return last?.type === 'RunCompleted';
}

function testsOf(runId: string, views: Views, finals: Finals) {
  const tests = new Map<string, (FinalResult & { superseded: boolean; title: string })[]>();
  for (const { name, results } of finals.values()) {
    const own = results.flatMap((final) => {
      const result = views.get(`results/${final.result_id}`) as ResultDocument | undefined;
      if (result?.test_run_id !== runId) return [];
      const superseded = result.superseded_by !== null || result.replaced_by !== undefined;
      // A result that was set back to a status that is not final counts no more.
      const isOpen = result.status === 'Pending' || result.status === 'Running';
      return [
        {
          ...final,
          ...(isOpen && { word: 'open', slower: false }),
          superseded: superseded || isOpen,
          title: name.split(' › ').at(-1)!,
        },
      ];
    });
    for (const one of own) {
      const line = `${one.environment} ${name}`;
      tests.set(line, [...(tests.get(line) ?? []), one]);
    }
  }
  return tests;
}

function textIn({ metadata }: RunDocument, name: string): string | null {
  const value = metadata?.[name];
  return typeof value === 'string' ? value : null;
}
