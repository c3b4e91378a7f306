/** The rows of the table: each measure beside its reference, and whether its ratio is high enough. */

export type Unit = '/s' | 'MB/s' | 'ms' | 'MiB' | 'B';

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
  samples: { measured: readonly number[]; reference: readonly number[] };
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
    samples: { measured, reference },
  };
}

/** Returns the table as text, in columns. */
export function render(rows: readonly Row[]): string {
  const head = ['figure', 'measured', 'reference', 'ratio', 'spread', 'at least', '', ''];
  const lines = rows.map((row) => [
    row.figure,
    `${rounded(row.measured)} ${row.unit}`,
    `${rounded(row.reference)} ${row.unit}`,
    row.ratio.toFixed(2),
    row.spread.map((ratio) => ratio.toFixed(2)).join('–'),
    row.atLeast?.toFixed(2) ?? '—',
    row.verdict,
    row.note,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  const text = ([first, ...rest]: readonly string[]) =>
    [first!.padEnd(widths[0]!), ...rest.map((cell, n) => (n < 5 ? cell.padStart(widths[n + 1]!) : cell))]
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(text(head).length);
  return [text(head), rule, ...lines.map(text)].join('\n');
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
