/**
 * A folder with a table, by month of `recorded_at`: `month=2026-11/<position>.parquet`. Its state, `export.json`, says up to which
 * position all rows are in files. What a kill left behind that is written again under the same names.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { csvHeader, csvOf } from '../../queries/tables/csv.js';
import type { Column, Row } from '../../queries/tables/columns.js';
import { openParquet } from '../../queries/tables/parquet.js';

export type Format = 'csv' | 'parquet';

/** `after`: up to where the rows are there. `until`: the position of the export; null before its first answer. */
export type FolderState = {
  table: string;
  format: Format;
  project: string | null;
  contents: boolean;
  after: string;
  until: string | null;
};

export type TableFolder = {
  add(row: Row): void;
  /** Writes all rows that were added, and the state. */
  save(state: FolderState): Promise<void>;
  /** Rows that were added since the last save. */
  unsaved(): number;
};

/** A row group takes some KiB a row while it is made. */
const GROUP_ROWS = 10_000;
const STATE = 'export.json';

export function openTableFolder(folder: string, format: Format, columns: readonly Column[]): TableFolder {
  const [at, position] = ['recorded_at', 'position'].map((name) =>
    columns.findIndex((each) => each.name === name),
  );
  const months = new Map<string, Part>();
  let unsaved = 0;
  return {
    add(row) {
      const month = String(row[at!]).slice(0, 'YYYY-MM'.length);
      let part = months.get(month);
      if (part === undefined) months.set(month, (part = newPart(format, columns, String(row[position!]))));
      part.rows.push(row);
      unsaved += 1;
      if (part.rows.length === GROUP_ROWS) flush(part);
    },
    async save(state) {
      for (const [month, part] of months) {
        flush(part);
        const bytes = Buffer.concat([...part.groups, part.file.end()]);
        await write(join(folder, `month=${month}`, `${part.first}.${format}`), bytes);
      }
      months.clear();
      unsaved = 0;
      await write(join(folder, STATE), `${JSON.stringify(state, null, 2)}\n`);
    },
    unsaved: () => unsaved,
  };
}

/** Null for a folder without a table. @throws Error for one whose state cannot be read */
export async function readFolderState(folder: string): Promise<FolderState | null> {
  try {
    return JSON.parse(await readFile(join(folder, STATE), 'utf8')) as FolderState;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** `first`: the position of its first row. */
type Part = { first: string; rows: Row[]; groups: Uint8Array[]; file: PartFile };
type PartFile = { group(rows: readonly Row[]): Uint8Array; end(): Uint8Array };

function newPart(format: Format, columns: readonly Column[], first: string): Part {
  const file = format === 'parquet' ? openParquet(columns) : csvFile(columns);
  return { first, rows: [], groups: [], file };
}

function csvFile(columns: readonly Column[]): PartFile {
  let head = csvHeader(columns);
  const text = (rows: readonly Row[]) => {
    const bytes = Buffer.from(head + csvOf(rows));
    head = '';
    return bytes;
  };
  return { group: text, end: () => text([]) };
}

function flush(part: Part): void {
  if (part.rows.length > 0) part.groups.push(part.file.group(part.rows));
  part.rows = [];
}

/** Under another name until it is on the disk: a kill leaves no part of a file. */
async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(`${path}.part`, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}
