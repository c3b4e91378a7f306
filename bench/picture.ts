/**
 * `node dist/bench/picture.js <results.json> <picture.svg>`: draws how the rows `post`, `get` and `visible` of a benchmark
 * change with the results that are stored.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './table/table.js';

type Point = { stored: number; ratio: number; measured: string };
type Series = { figure: string; points: readonly Point[] };

const FEWEST = 10_000;
const GOAL = 0.8;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 340, 60, 250, 50, 50];
const HIGHEST = 1.2;
/** They differ in brightness too, and each line is named where it ends. */
const COLOURS = ['#0b5cad', '#b4531f', '#3d7d3a', '#7a4fa3'];

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('give the results, and the file of the picture');
const { at, rows, machine } = JSON.parse(readFileSync(from, 'utf8')) as {
  at: string;
  rows: readonly Row[];
  machine: { model: string; processors: number };
};
writeFileSync(to, drawn(seriesOf(rows)));

/** A row, and the indented rows after it that have more stored. */
function seriesOf(rows: readonly Row[]): Series[] {
  const found: { figure: string; points: Point[] }[] = [];
  for (const [n, { figure, ratio, measured, unit }] of rows.entries()) {
    const [, stored] = /^ {2}with ([\d,]+) stored/.exec(figure) ?? [];
    if (stored === undefined) continue;
    const shown = (value: number) => `${value >= 100 ? Math.round(value) : value.toPrecision(3)} ${unit}`;
    const before = rows[n - 1]!;
    if (!before.figure.startsWith(' ')) {
      const first = { stored: FEWEST, ratio: 1, measured: shown(before.measured) };
      found.push({ figure: before.figure, points: [first] });
    }
    const count = Number(stored.replaceAll(',', ''));
    found.at(-1)?.points.push({ stored: count, ratio, measured: shown(measured) });
  }
  if (found.length === 0) throw new Error('the results have no rows with more results stored');
  return found;
}

function drawn(series: readonly Series[]): string {
  const most = Math.max(...series.flatMap(({ points }) => points.map(({ stored }) => stored)));
  const x = (stored: number) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(stored / FEWEST)) / Math.log(most / FEWEST);
  const y = (ratio: number) =>
    HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.min(ratio, HIGHEST)) / HIGHEST;
  const text = (left: number, top: number, words: string, more = '') =>
    `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}"${more}>${escaped(words)}</text>`;
  const line = (ratio: number, style: string) =>
    `<path d="M${LEFT} ${y(ratio).toFixed(1)}H${WIDTH - RIGHT}" fill="none" ${style}/>`;
  const ends = series.map(({ points }) => y(points.at(-1)!.ratio));
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ stored }) => stored)))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333" role="img" aria-labelledby="title">`,
    '<title id="title">Speed with more results stored, beside the speed with 10,000</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(
      LEFT,
      22,
      'Speed with more results stored, beside the speed with 10,000',
      ' font-size="14" font-weight="bold"',
    ),
    text(LEFT, 38, `${at.slice(0, 10)}, ${machine.model}, ${machine.processors} processors`, ' fill="#666"'),
    ...[0, 0.2, 0.4, 0.6, 0.8, 1, 1.2].flatMap((ratio) => [
      line(ratio, 'stroke="#ddd"'),
      text(LEFT - 8, y(ratio) + 4, ratio.toFixed(1), ' text-anchor="end"'),
    ]),
    line(GOAL, 'stroke="#c00" stroke-dasharray="6 4"'),
    text(LEFT + 4, y(GOAL) + 14, `goal: at least ${GOAL}`, ' fill="#c00"'),
    ...sizes.map((stored) =>
      text(x(stored), HEIGHT - BOTTOM + 20, stored.toLocaleString('en'), ' text-anchor="middle"'),
    ),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, 'results stored', ' text-anchor="middle" fill="#666"'),
    ...series.flatMap(({ figure, points }, n) => {
      const colour = COLOURS[n % COLOURS.length]!;
      const path = points.map(({ stored, ratio }) => `${x(stored).toFixed(1)} ${y(ratio).toFixed(1)}`);
      const top = apart(ends, n);
      return [
        `<path d="M${path.join('L')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
        ...points.map(
          ({ stored, ratio }) =>
            `<circle cx="${x(stored).toFixed(1)}" cy="${y(ratio).toFixed(1)}" r="3.5" fill="${colour}"/>`,
        ),
        text(WIDTH - RIGHT + 10, top, figure, ` fill="${colour}" font-weight="bold"`),
        text(
          WIDTH - RIGHT + 10,
          top + 14,
          points.map(({ measured }) => measured).join(' → '),
          ' fill="#666"',
        ),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}

/** Where the name of a line stands: beside its end, but not over another name. */
function apart(ends: readonly number[], n: number): number {
  const order = ends.map((_, index) => index).toSorted((one, other) => ends[one]! - ends[other]!);
  let top = -Infinity;
  for (const index of order) {
    top = Math.max(ends[index]!, top + 34);
    if (index === n) return top;
  }
  return top;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
