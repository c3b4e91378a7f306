/** The tables of the insights as data: the page, its CSV and its JSON show the same. */
import {
  flakyRate,
  greenRate,
  passRate,
  runsOf,
  timeOf,
  type Costs,
  type Statistics,
  type Totals,
} from './read-insights.js';

export type Cell = string | number | null;
export type TableOf = { columns: readonly string[]; rows: readonly (readonly Cell[])[] };

const columns: Readonly<Record<string, (totals: Totals) => Cell>> = {
  runs: runsOf,
  runs_passed: ({ runs }) => runs.passed,
  runs_failed: ({ runs }) => runs.failed,
  runs_skipped: ({ runs }) => runs.skipped,
  runs_empty: ({ runs }) => runs.empty,
  green_rate: greenRate,
  tests: ({ tests }) => tests,
  passed: ({ results }) => results.passed,
  failed: ({ results }) => results.failed,
  skipped: ({ results }) => results.skipped,
  known_fail: ({ results }) => results.known_fail,
  pass_rate: passRate,
  duration_p50_ms: ({ duration_ms }) => duration_ms.p50,
  duration_p95_ms: ({ duration_ms }) => duration_ms.p95,
  flaky_tests: ({ flaky_tests }) => flaky_tests,
  flaky_rate: flakyRate,
  new_failures: ({ new_failures }) => new_failures,
  fixed: ({ fixed }) => fixed,
  known_failures: ({ known_failures }) => known_failures,
  removed: ({ removed }) => removed,
  lost_ms: ({ lost_ms }) => lost_ms,
};

/** The days or weeks, and below them the window and the one before it. */
export function daysTable({ totals, previous, rows }: Statistics): TableOf {
  const named: (readonly [string, Totals])[] = [
    ...rows.map((row) => [row.day, row] as const),
    ['total', totals],
    ['previous', previous],
  ];
  return {
    columns: ['day', ...Object.keys(columns)],
    rows: named.map(([name, each]) => [name, ...Object.values(columns).map((of) => of(each))]),
  };
}

export function projectsTable(projects: readonly ({ project_id: string; name: string } & Totals)[]): TableOf {
  return {
    columns: ['project_id', 'name', ...Object.keys(columns)],
    rows: projects.map((each) => [
      each.project_id,
      each.name,
      ...Object.values(columns).map((of) => of(each)),
    ]),
  };
}

export function costTables({ slowest, time, lost, owners }: Costs): Record<string, TableOf> {
  return {
    slowest: {
      columns: ['test_id', 'name', 'owner', 'runs', 'duration_p50_ms', 'duration_p95_ms', 'share'],
      rows: slowest.map((test) => {
        const { id, name, owner, runs = 0, duration_ms } = test;
        const share = time === 0 ? null : timeOf(test) / time;
        return [id, name, owner, runs, duration_ms?.p50 ?? null, duration_ms?.p95 ?? null, share];
      }),
    },
    lost: {
      columns: ['test_id', 'name', 'owner', 'runs', 'failures', 'flaky_runs', 'lost_ms'],
      rows: lost.map(({ id, name, owner, runs = 0, failures = 0, flaky_runs = 0, lost_ms = 0 }) => {
        return [id, name, owner, runs, failures, flaky_runs, lost_ms];
      }),
    },
    owners: {
      columns: ['owner', 'tests', 'lost_ms'],
      rows: owners.map(({ owner, tests, lost_ms }) => [owner, tests, lost_ms]),
    },
  };
}

/** As RFC 4180 says. An empty cell is none. */
export function csvOf({ columns: names, rows }: TableOf): string {
  return [names, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
