/** Tables as Parquet: typed columns, dictionaries, Snappy. */
import { ByteWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer';
import type { Cell, CellType, Column, Row } from './columns.js';

export type ParquetFile = {
  /** The bytes of a row group with these rows, the next part of the file. */
  group(rows: readonly Row[]): Uint8Array;
  /** The last part. */
  end(): Uint8Array;
};

const types: Record<CellType, BasicType> = {
  text: 'STRING',
  // A duration may be longer than 32 bits have milliseconds.
  integer: 'INT64',
  boolean: 'BOOLEAN',
  instant: 'TIMESTAMP',
  // Most readers know the type JSON as text only.
  json: 'STRING',
};

/** Each row has another one, which begins as that of the row before. */
const RISING = new Set(['result_id', 'run_id', 'position']);

export function openParquet(columns: readonly Column[]): ParquetFile {
  const writer = new ByteWriter();
  const sources = columns.map(({ name, type }, n) => {
    const isKey = n < 3 && RISING.has(name);
    return { name, type: types[type], ...(isKey && { encoding: 'DELTA_BYTE_ARRAY' as const }) };
  });
  const schema = schemaFromColumnData({ columnData: sources.map((source) => ({ ...source, data: [] })) });
  const file = new ParquetWriter({ writer, schema, createdBy: 'testledger' });
  const taken = (): Uint8Array => {
    const bytes = new Uint8Array(writer.getBuffer());
    // The offset counts on: only the buffer begins again.
    writer.index = 0;
    return bytes;
  };
  return {
    group(rows) {
      const columnData = sources.map((source, n) => ({
        ...source,
        data: valuesOf(rows, n, columns[n]!.type),
      }));
      void file.write({ columnData, rowGroupSize: rows.length });
      return taken();
    },
    end() {
      void file.finish();
      return taken();
    },
  };
}

function valuesOf(rows: readonly Row[], n: number, type: CellType): unknown[] {
  const valueOf = valueIn(type);
  return rows.map((row) => (row[n] === null ? null : valueOf(row[n]!)));
}

function valueIn(type: CellType): (cell: NonNullable<Cell>) => unknown {
  switch (type) {
    case 'integer':
      return (cell) => BigInt(cell);
    case 'instant':
      return (cell) => new Date(cell as string);
    case 'text':
    case 'json':
    case 'boolean':
      return (cell) => cell;
  }
}
