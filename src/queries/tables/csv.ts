/** Tables as CSV (RFC 4180, with `\n`): an empty cell is none, `""` an empty text. */
import type { Cell, Column, Row } from './columns.js';

export function csvHeader(columns: readonly Column[]): string {
  return `${columns.map(({ name }) => name).join()}\n`;
}

export function csvOf(rows: readonly Row[]): string {
  let text = '';
  for (const row of rows) text += `${row.map(cellText).join()}\n`;
  return text;
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const NEEDS_QUOTES = /[",\r\n]/;
