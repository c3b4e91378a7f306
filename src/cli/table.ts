/** Rows of text in columns, for people. */
import { asLogText } from '../domain/text/harmless.js';

/**
 * Each row has the same number of cells. Returns no line for no rows. Names come from anybody in the team: no cell can be a
 * command of a terminal or of a CI log.
 */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map((cell) => asLogText(cell, CELL)));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** The longest text of a cell, the address of a webhook, has fewer characters. */
const CELL = 2_100;

function widthOf(cell: string): number {
  return Array.from(cell).length;
}
