/** `<duration-chart>`: draws the rows of its table, one point each, over the band from the median to the 95th percentile. */
import uPlot from 'uplot';

type Row = { at: number; ms: number; p50: number | null; p95: number | null; failed: boolean; href: string };

class DurationChart extends HTMLElement {
  #chart: uPlot | null = null;
  #place = document.createElement('div');
  #watch: ResizeObserver | null = null;
  #theme = window.matchMedia('(prefers-color-scheme: dark)');
  #draw = (): void => this.#redraw();

  connectedCallback(): void {
    this.#place.className = 'chart';
    this.#place.setAttribute('aria-hidden', 'true');
    this.prepend(this.#place);
    this.#draw();
    this.#theme.addEventListener('change', this.#draw);
    this.#watch = new ResizeObserver(() => {
      const width = this.#place.clientWidth;
      if (this.#chart !== null && width > 0 && width !== this.#chart.width)
        this.#chart.setSize({ width, height: HEIGHT });
    });
    this.#watch.observe(this.#place);
  }

  disconnectedCallback(): void {
    this.#chart?.destroy();
    this.#watch?.disconnect();
    this.#theme.removeEventListener('change', this.#draw);
  }

  #redraw(): void {
    this.#chart?.destroy();
    const rows = rowsIn(this);
    if (rows.length < 2) return;
    // Within two days the time says more than the day.
    const isShort = rows.at(-1)!.at - rows[0]!.at < 2 * 86_400_000;
    const [text, line] = [colorOf(this, '--soft'), colorOf(this, '--line')];
    const point = (fill: string) => ({ show: true, size: 7, fill, stroke: fill });
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const passed = colorOf(this, '--passed');
    const failed = colorOf(this, '--failed');
    const band = colorOf(this, '--accent');
    this.#chart = new uPlot(
      {
        width: Math.max(this.#place.clientWidth, 200),
        height: HEIGHT,
        // Runs come in bursts: by their order each has a place of its own.
        scales: { x: { time: false }, y: { range: (_, __, most) => [0, (most || 1) * 1.08] } },
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
        axes: [
          {
            ...axis,
            values: (_, ticks) => withoutRepeats(ticks.map((tick) => label(rows[tick]?.at, isShort))),
            space: 90,
          },
          { ...axis, values: (_, ticks) => ticks.map(words), size: 64 },
        ],
        series: [
          {},
          { stroke: band, width: 1, points: { show: false } },
          { stroke: band, width: 1, dash: [4, 4], points: { show: false } },
          { stroke: passed, paths: () => null, points: point(passed) },
          { stroke: failed, paths: () => null, points: { ...point(failed), size: 9 } },
        ],
        bands: [{ series: [2, 1], fill: `color-mix(in srgb, ${band} 14%, transparent)` }],
      },
      [
        rows.map((_, n) => n),
        rows.map(({ p50 }) => p50),
        rows.map(({ p95 }) => p95),
        rows.map(({ ms, failed: isBad }) => (isBad ? null : ms)),
        rows.map(({ ms, failed: isBad }) => (isBad ? ms : null)),
      ],
      this.#place,
    );
    this.#chart.over.addEventListener('click', () => {
      const at = this.#chart?.cursor.idx;
      const row = at == null ? undefined : rows[at];
      if (row !== undefined && row.href !== '') window.location.assign(row.href);
    });
  }
}

const HEIGHT = 220;

/** Oldest first. */
function rowsIn(element: HTMLElement): Row[] {
  return [...element.querySelectorAll<HTMLElement>('tr[data-at]')].toReversed().flatMap((row) => {
    const { at = '', ms, p50, p95, outcome } = row.dataset;
    if (ms === undefined) return [];
    return [
      {
        at: Date.parse(at),
        ms: Number(ms),
        p50: p50 === undefined ? null : Number(p50),
        p95: p95 === undefined ? null : Number(p95),
        failed: outcome === 'failed',
        href: row.querySelector('a')?.getAttribute('href') ?? '',
      },
    ];
  });
}

/** A canvas does not know `light-dark()`: the browser works it out on an element. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.setProperty('color', `var(${name})`);
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function label(at: number | undefined, isShort: boolean): string {
  if (at === undefined) return '';
  return isShort
    ? new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })
    : new Date(at).toLocaleDateString('en', { month: 'short', day: 'numeric' });
}

/** Of labels that are the same, the first: runs come in bursts. */
function withoutRepeats(labels: readonly string[]): string[] {
  return labels.map((each, n) => (each === labels[n - 1] ? '' : each));
}

function words(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Number((ms / 1_000).toFixed(2))} s`;
}

customElements.define('duration-chart', DurationChart);
