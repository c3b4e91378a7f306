/** The documents and totals of one build, as the writer loads and changes them. */
import type { Change, DocumentKey } from '../../../ports/views.js';
import type { TotalDelta } from '../../shared/view-totals.js';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { SqliteDatabase, SqliteStatement } from '../database.js';
import { listIn } from '../json-list.js';
import {
  documentsById,
  documentsTable,
  documentText,
  quoted,
  totalsTable,
  type DocumentText,
  type StoredRow,
} from './layout.js';
import { keysByCollection } from '../../shared/view-columns.js';
import { rowWrites, storedColumns, type RowGroup } from './row-writes.js';

export type BuildTables = {
  load(keys: readonly DocumentKey[]): (Document | null)[];
  /** Runs within a transaction of the caller. */
  write(changes: readonly Change[]): void;
};

/** Prepares the statements on the tables of a build. @throws an error of SQLite where they do not exist. */
export function buildTables(database: SqliteDatabase, spec: ProjectionSpec, build: number): BuildTables {
  const text = documentText(database);
  const collections = new Map(
    spec.collections.map((collection) => [collection.name, table(database, spec, build, collection, text)]),
  );
  const count = counter(database, totalsTable(spec.name, build));
  const tableOf = (name: string): Table => collections.get(name) ?? fail('internal', `no collection ${name}`);

  return {
    load: (keys) => {
      const loaded = keys.map((): Document | null => null);
      for (const [name, indexes] of keysByCollection(spec, keys)) {
        const documents = tableOf(name).load(indexes.map((index) => keys[index]?.id ?? ''));
        indexes.forEach((index, n) => (loaded[index] = documents[n] ?? null));
      }
      return loaded;
    },
    write: (changes) => {
      const { groups, totals } = rowWrites(spec, changes, text);
      for (const group of groups) tableOf(group.collection).write(group);
      for (const delta of totals) count(delta);
    },
  };
}

const ROWS_AT_ONCE = 32;

type Table = { load(ids: readonly string[]): (Document | null)[]; write(group: RowGroup): void };

function table(
  database: SqliteDatabase,
  spec: ProjectionSpec,
  build: number,
  collection: CollectionSpec,
  text: DocumentText,
): Table {
  const name = documentsTable(spec.name, build, collection.name);
  const columns = storedColumns(collection);
  const inserted = ['_id', ...columns.map(quoted), '_doc'];
  const select = database.prepare(`SELECT ${documentsById(spec.name, build, collection)}`).raw();
  const statements = new Map<string, SqliteStatement>();
  const prepared = (key: string, sql: () => string): SqliteStatement => {
    let statement = statements.get(key);
    if (statement === undefined) statements.set(key, (statement = database.prepare(sql())));
    return statement;
  };
  const insert = (rows: number, conflict = ''): SqliteStatement =>
    prepared(`insert ${rows}${conflict}`, () => {
      const row = `(${inserted.map(() => '?').join(', ')})`;
      const values = Array<string>(rows).fill(row).join(', ');
      return `INSERT INTO ${name} (${inserted.join(', ')}) VALUES ${values}${conflict}`;
    });
  // SQLite writes the indexes of the columns that a statement sets, and no others. Most changes leave all of them.
  const update = (changed: readonly number[]): SqliteStatement =>
    prepared(`update ${changed.join()}`, () => {
      const set = [...changed.map((n) => quoted(columns[n]!)), '_doc'].map((column) => `${column} = ?`);
      return `UPDATE ${name} SET ${set.join(', ')} WHERE _id = ?`;
    });

  /** Returns the number of rows that were changed as they had to be. */
  const apply = (group: RowGroup): number => {
    switch (group.op) {
      case 'insert':
        return run(group, insert(1), rowsOf(group) < ROWS_AT_ONCE ? undefined : insert(ROWS_AT_ONCE));
      case 'add_once': {
        // A log may hold an event twice: the first document stays.
        run(group, insert(1, ' ON CONFLICT (_id) DO NOTHING'));
        return rowsOf(group);
      }
      case 'update':
        return run(group, update(group.columns));
      case 'delete':
        return run(
          group,
          prepared('delete', () => `DELETE FROM ${name} WHERE _id = ?`),
        );
    }
  };

  return {
    load: (ids) => {
      const rows = listIn<StoredRow | null>(select.get([JSON.stringify(ids)]));
      return rows.map((row) => (row === null ? null : text.readRow(row)));
    },
    write: (group) => {
      // If a document were not stored as it was loaded, the totals would be wrong for ever.
      if (apply(group) !== rowsOf(group)) {
        fail('internal', `a document of ${collection.name} is not as it was loaded`);
      }
    },
  };
}

function rowsOf({ values, width }: RowGroup): number {
  return values.length / width;
}

/** Runs the statement `one` for each row, and `many` for each `ROWS_AT_ONCE`. Returns the number of rows that changed. */
function run({ values, width }: RowGroup, one: SqliteStatement, many?: SqliteStatement): number {
  let changes = 0;
  let from = 0;
  const next = (statement: SqliteStatement, rows: number) => {
    changes += statement.run(values.slice(from, (from += rows * width))).changes;
  };
  if (many !== undefined) {
    while (values.length - from >= ROWS_AT_ONCE * width) next(many, ROWS_AT_ONCE);
  }
  while (from < values.length) next(one, 1);
  return changes;
}

/** Adds to a counter, and removes a counter that comes to 0. */
function counter(database: SqliteDatabase, name: string): (delta: TotalDelta) => void {
  const add = database.prepare(
    `INSERT INTO ${name} (collection, fields, vals, n) VALUES (?, ?, ?, ?)
     ON CONFLICT (collection, fields, vals) DO UPDATE SET n = n + excluded.n`,
  );
  const clear = database.prepare(
    `DELETE FROM ${name} WHERE collection = ? AND fields = ? AND vals = ? AND n = 0`,
  );
  return ({ collection, fields, values, n }) => {
    const key = [collection, fields.join(), JSON.stringify(values)];
    add.run([...key, n]);
    if (n < 0) clear.run(key);
  };
}
