/** The documents and totals of one build, as the writer loads and changes them. */
import type { Change, DocumentKey } from '../../../ports/views.js';
import { totalDeltas, type TotalDelta } from '../../shared/view-totals.js';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { SqliteDatabase, SqliteStatement } from '../database.js';
import { isStorableText } from '../../shared/storable-text.js';
import { documentsById } from './layout.js';
import { documentsTable, quoted, totalsTable } from './layout.js';
import { columnValue, columnsOf, keysByCollection } from '../../shared/view-columns.js';
import { FOLDED, foldedOf } from '../../shared/view-search.js';

export type BuildTables = {
  load(keys: readonly DocumentKey[]): (Document | null)[];
  /** Runs within a transaction of the caller. */
  write(changes: readonly Change[]): void;
};

/** Prepares the statements on the tables of a build. @throws an error of SQLite where they do not exist. */
export function buildTables(database: SqliteDatabase, spec: ProjectionSpec, build: number): BuildTables {
  const collections = new Map(
    spec.collections.map((collection) => [collection.name, table(database, spec, build, collection)]),
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
      for (const change of changes) tableOf(change.collection).write(change);
      for (const delta of totalDeltas(spec, changes)) count(delta);
    },
  };
}

type Table = { load(ids: readonly string[]): (Document | null)[]; write(change: Change): void };

function table(
  database: SqliteDatabase,
  spec: ProjectionSpec,
  build: number,
  collection: CollectionSpec,
): Table {
  const name = documentsTable(spec.name, build, collection.name);
  const fields = columnsOf(collection);
  const columns = collection.searchable === undefined ? fields : [...fields, FOLDED];
  const inserted = ['_id', ...columns.map(quoted), '_doc'];
  const select = database.prepare(`SELECT ${documentsById(spec.name, build, collection.name)}`).raw();
  const insert = database.prepare(
    `INSERT INTO ${name} (${inserted.join(', ')}) VALUES (${inserted.map(() => '?').join(', ')})`,
  );
  const addOnce = database.prepare(
    `INSERT INTO ${name} (${inserted.join(', ')}) VALUES (${inserted.map(() => '?').join(', ')})
     ON CONFLICT (_id) DO NOTHING`,
  );
  // SQLite writes the indexes of the columns that a statement sets, and no others. Most changes leave all of them.
  const redescribe = database.prepare(`UPDATE ${name} SET _doc = ? WHERE _id = ?`);
  const replacing = new Map<string, SqliteStatement>();
  const replace = (id: string, text: string, before: readonly unknown[], after: readonly unknown[]) => {
    if (after.every((value, n) => value === before[n])) return redescribe.run([text, id]);
    const changed = columns.map((_, n) => n).filter((n) => before[n] !== after[n]);
    const set = [...changed.map((n) => columns[n]!).map(quoted), '_doc'];
    const key = set.join();
    const sql = `UPDATE ${name} SET ${set.map((column) => `${column} = ?`).join(', ')} WHERE _id = ?`;
    const statement = replacing.get(key) ?? database.prepare(sql);
    replacing.set(key, statement);
    return statement.run([...changed.map((n) => after[n]), text, id]);
  };
  const remove = database.prepare(`DELETE FROM ${name} WHERE _id = ?`);
  const valuesOf = (document: Document) => {
    const values = fields.map((field) => columnValue(document[field], field));
    return collection.searchable === undefined ? values : [...values, foldedOf(collection, document)];
  };

  const apply = ({ id, before, after, once }: Change): number => {
    if (once === true) return (addOnce.run([id, ...valuesOf(after!), JSON.stringify(after)]), 1);
    if (after === null) return before === null ? 1 : remove.run([id]).changes;
    const text = JSON.stringify(after);
    const values = valuesOf(after);
    if (before === null) return insert.run([id, ...values, text]).changes;
    return replace(id, text, valuesOf(before), values).changes;
  };

  return {
    load: (ids) => JSON.parse((select.get([JSON.stringify(ids)]) as [string])[0]) as (Document | null)[],
    write: (change) => {
      if (!isStorableText(change.id)) fail('internal', `not an id: ${JSON.stringify(change.id)}`);
      // If `before` were not what is stored, the totals would be wrong for ever.
      if (apply(change) !== 1) fail('internal', `${collection.name} ${change.id} is not as it was loaded`);
    },
  };
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
