/** Reads a table that the server sends as CSV (`queries/tables/csv.ts`), as its bytes come. */
import type { Cell, CellType, Column, Row } from '../../queries/tables/columns.js';

export type CsvTable = { columns: readonly Column[]; rows: AsyncIterable<readonly Row[]> };

/** `typeOf`: by the name of a column. */
export async function readCsv(
  bytes: AsyncIterable<Uint8Array>,
  typeOf: (name: string) => CellType,
): Promise<CsvTable> {
  const lines = linesIn(bytes);
  const first = await lines.next();
  const [head = '', ...rest] = first.done === true ? [] : first.value;
  const columns = head.split(',').map((name) => ({ name, type: typeOf(name) }));
  const rowIn = (line: string): Row =>
    cellsIn(line).map((cell, n) => valueOf(cell, columns[n]?.type ?? 'text'));
  async function* rows() {
    yield rest.map(rowIn);
    for await (const some of lines) yield some.map(rowIn);
  }
  return { columns, rows: rows() };
}

/** The lines that are complete; one with an odd number of quotes goes on behind its line feed. */
async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
      const line = text.slice(start, end);
      if (!isWhole(line)) continue;
      lines.push(line);
      start = end + 1;
    }
    text = text.slice(start);
    if (lines.length > 0) yield lines;
  }
}

function isWhole(line: string): boolean {
  let isInside = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isInside = !isInside;
  return !isInside;
}

/** Null for an empty cell, which is none. */
function cellsIn(line: string): (string | null)[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell || null);
  const cells: (string | null)[] = [];
  for (const [, quoted, plain] of line.matchAll(CELL))
    cells.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
  return cells;
}

const CELL = /(?<=^|,)(?:"((?:[^"]|"")*)"|([^,"]*))(?=,|$)/gs;

function valueOf(cell: string | null, type: CellType): Cell {
  if (cell === null) return null;
  switch (type) {
    case 'integer':
      return Number(cell);
    case 'boolean':
      return cell === 'true';
    case 'text':
    case 'instant':
    case 'json':
      return cell;
  }
}
