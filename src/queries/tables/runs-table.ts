/** The table of runs: a row for each that was made or changed in a part of the log, as it is at the end of that part. */
import { noCounts, outcomeOf, type Counts } from '../../domain/counts.js';
import { streamName, type Position, type RecordedEvent } from '../../domain/event.js';
import type { LedgerEvent, RunEvent } from '../../domain/events.js';
import { statusWords } from '../../domain/results/result.js';
import { run as runDecider, type RunRecord } from '../../domain/runs/run.js';
import { understoodRun } from '../../domain/understood.js';
import type { Row } from './columns.js';
import type { GatesOf } from './gates.js';
import { eventsUntil, openNames } from './names.js';
import { countedOf, resultChanges, type Counted, type TableResult } from './result-fold.js';
import { isLast, laterChanges } from './results-table.js';
import { openShown } from './shown-runs.js';
import { tableEvents, type Range, type TableScope, type TableSource } from './table-events.js';

type TableRun = { record: RunRecord; standing: Counts; revision: number; position: Position };

/** Rows in the order of their positions. */
export async function* runsTable(
  source: TableSource,
  scope: TableScope,
  { after, until, gatesOf }: Range & { gatesOf: GatesOf },
): AsyncGenerator<readonly Row[], void> {
  const { left, first, start } = await changedRuns(source, scope, { after, until });
  const names = openNames(source.log, scope.team, { knows: false });
  const results = new Map<string, TableResult>();
  const isOfRuns = (event: RecordedEvent) => left.has(runIdOf(event) ?? '');
  const { left: later } = await laterChanges(source, scope, { after: start, until }, isOfRuns);
  const shown = openShown();
  const runs = new Map<string, TableRun>();
  const begun = first === null ? undefined : runAfter(undefined, first);
  if (begun !== undefined) {
    if (shown.isShown(first!)) begun.revision = 1;
    runs.set(begun.record.test_run_id, begun);
  }
  const fold = { names, at: (id: string) => results.get(id), follows: () => true };
  for await (const all of tableEvents(source, scope, { after: start, until })) {
    const events = all.filter((event) => isOfRuns(event) || runIdOf(event) === undefined);
    await names.prepare(events);
    const rows: { run: string; cells: Row }[] = [];
    for (const event of events) {
      names.apply(event);
      const id = runIdOf(event);
      if (id === undefined) continue;
      const run = runAfter(runs.get(id), event);
      if (run === undefined) continue;
      runs.set(id, run);
      for (const change of resultChanges(event, fold)) {
        count(run.standing, change.before, -1);
        count(run.standing, countedOf(change.state), 1);
        if (isLast(change, later)) results.delete(change.id);
        else results.set(change.id, change.state);
      }
      if (!shown.isShown(event)) continue;
      run.revision += 1;
      run.position = event.position;
      if (event.position > after && isLast({ id, made: false }, left)) {
        rows.push({ run: id, cells: runCells(run, names.project(run.record.project_id)) });
        runs.delete(id);
      }
    }
    if (rows.length === 0) continue;
    const gates = await gatesOf(rows.map(({ run }) => run));
    yield rows.map(({ run, cells }) => cells.with(GATE, gates.get(run) ?? null));
  }
}

/** `left`: by run that changes in the range, how often. `first`: the event before the fold that begins a run, if one does. */
async function changedRuns(source: TableSource, scope: TableScope, { after, until }: Range) {
  const left = new Map<string, number>();
  const shown = openShown();
  let first: RecordedEvent | null = null;
  for await (const events of tableEvents(source, scope, { after, until })) {
    for (const event of events) {
      const id = runIdOf(event);
      if (id === undefined) continue;
      if (!left.has(id)) {
        left.set(id, 0);
        for await (const before of eventsUntil(source.log, streamName('run', scope.team, id), after)) {
          // The range may begin within an append.
          shown.isShown(before);
          if (before.revision === 0 && (first === null || before.position < first.position)) first = before;
        }
      }
      if (shown.isShown(event)) left.set(id, left.get(id)! + 1);
    }
  }
  for (const [id, count] of left) if (count === 0) left.delete(id);
  return { left, first, start: first?.position ?? after };
}

/** Undefined for an event that changes no run; the results of none are in no run. */
function runIdOf({ data }: RecordedEvent): string | undefined {
  return (data as { run_id?: string | null }).run_id ?? undefined;
}

function runAfter(run: TableRun | undefined, event: RecordedEvent): TableRun | undefined {
  if (!event.stream.startsWith('run-')) return run;
  const before = run === undefined ? runDecider.initial : ({ life: 'present', ...run.record } as const);
  const after = runDecider.evolve(before, event as LedgerEvent<RunEvent>);
  if (after.life !== 'present') return undefined;
  const { life: _, ...record } = after;
  return run === undefined
    ? { record, standing: { ...noCounts }, revision: 0, position: event.position }
    : Object.assign(run, { record });
}

function count(standing: Counts, counted: Counted | null, more: 1 | -1): void {
  if (counted?.counts !== true) return;
  standing.total += more;
  standing[statusWords[counted.status]] += more;
}

function runCells({ record, standing, revision, position }: TableRun, project: string): Row {
  const { test_run_id, project_id, label, run_key, metadata, status, completions, completed_by } = record;
  const { started_at, finished_at, created_at } = record;
  const named = understoodRun(metadata);
  const duration =
    started_at === null || finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at);
  return [
    test_run_id,
    revision,
    position,
    project_id,
    project,
    label,
    run_key,
    named.build,
    named.branch,
    named.commit,
    named.pull_request,
    named.actor,
    named.ci_url,
    named.tool,
    named.environment_key || null,
    status.toLowerCase(),
    outcomeOf(standing),
    null,
    completions,
    standing.passed,
    standing.failed,
    standing.skipped,
    standing.known_fail,
    duration !== null && duration >= 0 ? duration : null,
    started_at,
    finished_at,
    created_at,
    completed_by,
  ];
}

/** The column `gate`. */
const GATE = 17;
