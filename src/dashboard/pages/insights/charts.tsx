/** The charts of a window, each with its numbers as a table below. */
import type { ComponentChildren } from 'preact';
import { Chart, type ChartOf } from '../../parts/chart/chart.js';
import { number } from '../../parts/outcome.js';
import { Table } from '../../parts/lists/table.js';
import { duration } from '../../parts/time.js';
import { percent } from '../projects/read-projects.js';
import { flakyRate, passRate, type Statistics, type Step, type Totals } from './read-insights.js';

/** Some of the charts of one table share it. */
type Panel = {
  id: string;
  title: string;
  charts: readonly Omit<ChartOf, 'labels'>[];
  columns: Readonly<Record<string, (totals: Totals) => string>>;
};

export function Charts({ rows, step }: { rows: Statistics['rows']; step: Step }) {
  const labels = rows.map(({ day }) => day);
  return (
    <div class="charts">
      {panelsOf(rows).map(({ id, title, charts, columns }) => (
        <section aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <div class="panel">
            {charts.map((chart) => (
              <Chart {...chart} labels={labels} />
            ))}
            <Numbers title={title} step={step} columns={columns} rows={rows} />
          </div>
        </section>
      ))}
    </div>
  );
}

type NumbersProps = Pick<Panel, 'title' | 'columns'> & { step: Step; rows: Statistics['rows'] };

function Numbers({ title, step, columns, rows }: NumbersProps) {
  const first = step === 'day' ? 'Day' : 'Week of';
  const heads = Object.fromEntries(Object.keys(columns).map((name) => [name, 'number']));
  return (
    <details>
      <summary>
        {title} as a table, by {step}
      </summary>
      <Table class="days small" columns={{ [first]: '', ...heads }}>
        {rows.map((row): ComponentChildren => (
          <tr>
            <td class="nowrap">{row.day}</td>
            {Object.values(columns).map((of) => (
              <td class="number">{of(row)}</td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}

function panelsOf(rows: Statistics['rows']): Panel[] {
  const of = (value: (totals: Totals) => number | null) => rows.map(value);
  return [runsPanel(of), testsPanel(of), durationsPanel(of), failuresPanel(of), lostPanel(of)];
}

/** The values of all days. */
type Of = (value: (totals: Totals) => number | null) => (number | null)[];

const share = (rate: number | null) => (rate === null ? null : rounded(rate * 100));
const inPercent = (value: number) => `${number(value)} %`;

function runsPanel(of: Of): Panel {
  return {
    id: 'runs',
    title: 'Runs',
    charts: [
      {
        kind: 'bars',
        title: 'Runs by outcome',
        text: number,
        series: [
          { name: 'passed', look: 'passed', values: of(({ runs }) => runs.passed) },
          { name: 'failed', look: 'failed', values: of(({ runs }) => runs.failed) },
          {
            name: 'skipped or empty',
            look: 'skipped',
            values: of(({ runs }) => runs.skipped + runs.empty),
          },
        ],
      },
    ],
    columns: {
      Passed: ({ runs }) => number(runs.passed),
      Failed: ({ runs }) => number(runs.failed),
      Skipped: ({ runs }) => number(runs.skipped),
      Empty: ({ runs }) => number(runs.empty),
    },
  };
}

function testsPanel(of: Of): Panel {
  return {
    id: 'tests',
    title: 'Tests',
    charts: [
      {
        kind: 'lines',
        title: 'Results that passed, in percent',
        most: 100,
        text: inPercent,
        series: [{ name: 'passed', look: 'passed', values: of((totals) => share(passRate(totals))) }],
      },
      {
        kind: 'lines',
        title: 'Tests that ran',
        text: number,
        series: [{ name: 'tests', look: 'plain', values: of(({ tests }) => (tests === 0 ? null : tests)) }],
      },
    ],
    columns: {
      'Pass rate': (totals) => percent(passRate(totals)),
      Tests: ({ tests }) => number(tests),
      Passed: ({ results }) => number(results.passed),
      Failed: ({ results }) => number(results.failed),
    },
  };
}

function durationsPanel(of: Of): Panel {
  return {
    id: 'durations',
    title: 'Duration of runs',
    charts: [
      {
        kind: 'lines',
        title: 'Duration of runs',
        text: duration,
        series: [
          { name: 'median', look: 'plain', values: of(({ duration_ms }) => duration_ms.p50) },
          { name: '95 %', look: 'skipped', values: of(({ duration_ms }) => duration_ms.p95) },
        ],
      },
    ],
    columns: {
      Median: ({ duration_ms }) => duration(duration_ms.p50),
      '95 %': ({ duration_ms }) => duration(duration_ms.p95),
    },
  };
}

function failuresPanel(of: Of): Panel {
  return {
    id: 'failures',
    title: 'Failures',
    charts: [
      {
        kind: 'bars',
        title: 'New failures and fixed tests',
        text: number,
        series: [
          { name: 'new failures', look: 'failed', values: of(({ new_failures }) => new_failures) },
          { name: 'fixed', look: 'passed', values: of(({ fixed }) => fixed) },
        ],
      },
      {
        kind: 'lines',
        title: 'Results that were flaky, in percent',
        text: inPercent,
        series: [{ name: 'flaky', look: 'flaky', values: of((totals) => share(flakyRate(totals))) }],
      },
    ],
    columns: {
      New: ({ new_failures }) => number(new_failures),
      Fixed: ({ fixed }) => number(fixed),
      Flaky: ({ flaky_tests }) => number(flaky_tests),
      'Flaky rate': (totals) => share2(flakyRate(totals)),
    },
  };
}

function lostPanel(of: Of): Panel {
  return {
    id: 'lost-time',
    title: 'Lost time',
    charts: [
      {
        kind: 'bars',
        title: 'Time of failures that were no fault of the commit',
        text: duration,
        series: [{ name: 'lost', look: 'flaky', values: of(({ lost_ms }) => lost_ms) }],
      },
    ],
    columns: { Lost: ({ lost_ms }) => duration(lost_ms) },
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A small share, which `percent` would round down to nothing. */
export function share2(rate: number | null): string {
  return rate === null ? '–' : `${(rate * 100).toFixed(rate < 0.1 ? 2 : 1)} %`;
}
