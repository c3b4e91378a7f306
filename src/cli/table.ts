/** Rows of text in columns, for people. */
import { stripVTControlCharacters } from 'node:util';

/** Each row has the same number of cells. Returns no line for no rows. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

function widthOf(cell: string): number {
  return Array.from(stripVTControlCharacters(cell)).length;
}
