/** Charts of days or weeks, drawn by the server: bars on top of each other, or lines. A table below says the same. */
import { axisOf } from './chart-axis.js';

/** A value may be null where there is none. `look`: the name of a colour. */
export type Series = { name: string; look: string; values: readonly (number | null)[] };

export type ChartOf = {
  kind: 'bars' | 'lines';
  title: string;
  /** Of the horizontal axis. */
  labels: readonly string[];
  series: readonly Series[];
  /** How a value is written. */
  text: (value: number) => string;
  /** The end of the vertical axis, if it is always the same. */
  most?: number;
};

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 210, 80, 8, 10, 34];
const [INNER, TALL] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
const MOST_LABELS = 5;

export function Chart(chart: ChartOf) {
  const { kind, title, labels, series, text } = chart;
  const step = INNER / labels.length;
  const sums = labels.map((_, n) => series.map(({ values }) => values[n] ?? 0));
  const highest = kind === 'bars' ? sums.map((all) => all.reduce((sum, each) => sum + each, 0)) : sums.flat();
  const ticks = axisOf(chart.most ?? Math.max(0, ...highest));
  const end = ticks.at(-1)!;
  const y = (value: number) => TOP + TALL - (value / end) * TALL;
  const every = Math.ceil(labels.length / MOST_LABELS);
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b>
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}; the table below has the numbers`}
      >
        {ticks.map((tick) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="axis" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {text(tick)}
            </text>
          </>
        ))}
        {labels.map(
          (label, n) =>
            n % every === 0 && (
              <text class="axis" x={LEFT + (n + 0.5) * step} y={HEIGHT - 6} text-anchor="middle">
                {label.slice(5)}
              </text>
            ),
        )}
        {kind === 'bars' ? <Bars {...chart} y={y} step={step} /> : <Lines {...chart} y={y} step={step} />}
        {labels.map((label, n) => (
          <rect class="day" x={LEFT + n * step} y={TOP} width={step} height={TALL}>
            <title>{[label, ...series.map((each) => wordOf(each, n, text))].join('\n')}</title>
          </rect>
        ))}
      </svg>
    </figure>
  );
}

type Drawn = ChartOf & { y: (value: number) => number; step: number };

function Bars({ labels, series, y, step }: Drawn) {
  const width = Math.max(1, step * 0.7);
  return (
    <>
      {labels.map((_, n) => {
        let below = 0;
        return series.map(({ look, values }) => {
          const value = values[n] ?? 0;
          if (value === 0) return null;
          const from = below;
          below += value;
          const x = LEFT + n * step + (step - width) / 2;
          return <rect class={look} x={x} y={y(below)} width={width} height={y(from) - y(below)} />;
        });
      })}
    </>
  );
}

function Lines({ series, y, step }: Drawn) {
  return (
    <>
      {series.map(({ look, values }) => {
        const points = values.flatMap((value, n) =>
          value === null ? [] : [[LEFT + (n + 0.5) * step, y(value)] as const],
        );
        return (
          <>
            <polyline class={`drawn ${look}`} points={points.map((point) => point.join()).join(' ')} />
            {points.map(([x, at]) => (
              <circle class={look} cx={x} cy={at} r="2.5" />
            ))}
          </>
        );
      })}
    </>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <span class="legend">
      {series.map(({ name, look }) => (
        <span>
          <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
            <rect class={look} width="10" height="10" rx="2" />
          </svg>{' '}
          {name}
        </span>
      ))}
    </span>
  );
}

function wordOf({ name, values }: Series, n: number, text: ChartOf['text']): string {
  const value = values[n];
  return `${name}: ${value == null ? '–' : text(value)}`;
}
