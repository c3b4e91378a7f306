/** The rows of the table: each measure beside its reference, and whether its ratio is high enough. */

import { usageOf } from './turns.js';
import type { Usage } from '../processes/usage.js';

export type Unit = '/s' | 'MB/s' | 'ms' | 'µs' | 'MiB' | 'B';

export type Row = {
  figure: string;
  unit: Unit;
  /** Medians. */
  measured: number;
  reference: number;
  /** The median of the ratios of all turns, and the lowest and highest ratio. Higher is better. */
  ratio: number;
  spread: [number, number];
  /** The lowest ratio that passes. Null for a row without a bound. */
  atLeast: number | null;
  verdict: 'ok' | 'short' | '';
  note: string;
  /** Medians of what the server used in a turn. Null where it was not measured. */
  used: { processorSeconds: number; peakMiB: number; microsecondsEach: number | null } | null;
  samples: {
    measured: readonly number[];
    reference: readonly number[];
    usage: readonly (Usage | null)[];
  };
};

export type Compared = {
  figure: string;
  unit: Unit;
  measured: readonly number[];
  /** One for each measured value, or one for all of them. */
  reference: readonly number[] | number;
  atLeast: number | null;
  note?: string;
};

/** Rates are better when higher, times and sizes when lower. */
export function compare({ figure, unit, measured, reference: given, atLeast, note = '' }: Compared): Row {
  const reference = typeof given === 'number' ? measured.map(() => given) : given;
  const ratios = measured.map((value, n) =>
    unit.endsWith('/s') ? value / reference[n]! : reference[n]! / value,
  );
  const ratio = median(ratios);
  return {
    figure,
    unit,
    measured: median(measured),
    reference: median(reference),
    ratio,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    atLeast,
    verdict: atLeast === null ? '' : ratio >= atLeast ? 'ok' : 'short',
    note,
    used: usedIn(measured, unit),
    samples: { measured, reference, usage: usageOf(measured) },
  };
}

/** For a rate, also the processor time of each request, result or event. */
function usedIn(measured: readonly number[], unit: Unit): Row['used'] {
  const turns = usageOf(measured).flatMap((usage, n) =>
    usage === null ? [] : [{ ...usage, value: measured[n]! }],
  );
  if (turns.length === 0) return null;
  const each = turns.map(
    ({ processorSeconds, seconds, value }) => (1e6 * processorSeconds) / (value * seconds),
  );
  return {
    processorSeconds: median(turns.map(({ processorSeconds }) => processorSeconds)),
    peakMiB: median(turns.map(({ peakMiB }) => peakMiB)),
    microsecondsEach: unit === '/s' ? median(each) : null,
  };
}

/** Returns the table as text, in columns. */
export function render(rows: readonly Row[]): string {
  const head = [
    'figure',
    'measured',
    'reference',
    'ratio',
    'spread',
    'at least',
    'processor',
    'peak',
    '',
    '',
  ];
  const lines = rows.map((row) => [
    row.figure,
    `${rounded(row.measured)} ${row.unit}`,
    `${rounded(row.reference)} ${row.unit}`,
    row.ratio.toFixed(2),
    row.spread.map((ratio) => ratio.toFixed(2)).join('–'),
    row.atLeast?.toFixed(2) ?? '—',
    processorOf(row),
    row.used === null ? '—' : `${Math.round(row.used.peakMiB)} MiB`,
    row.verdict,
    row.note,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  const text = ([first, ...rest]: readonly string[]) =>
    [first!.padEnd(widths[0]!), ...rest.map((cell, n) => (n < 7 ? cell.padStart(widths[n + 1]!) : cell))]
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(text(head).length);
  return [text(head), rule, ...lines.map(text)].join('\n');
}

function processorOf({ used }: Row): string {
  if (used === null) return '—';
  return used.microsecondsEach === null
    ? `${used.processorSeconds.toFixed(1)} s`
    : `${Math.round(used.microsecondsEach)} µs each`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

/** Returns the value that this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
