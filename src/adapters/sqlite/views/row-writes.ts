/**
 * The rows that a commit writes into the tables of a build, in one list for each statement: a statement for many rows costs
 * half as much a row as one for each.
 */
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { Change } from '../../../ports/views.js';
import { isStorableText } from '../../shared/storable-text.js';
import { columnValue, columnsOf } from '../../shared/view-columns.js';
import { collectionOf } from '../../shared/view-indexes.js';
import { FOLDED } from '../../shared/view-search.js';
import { isSame, totalDeltas, type TotalDelta } from '../../shared/view-totals.js';
import type { Stored } from '../short-texts.js';
import { storedFolded, type DocumentText } from './layout.js';

type Value = string | number | Stored;

/**
 * Rows that one statement writes. `values` has the parameters of all rows one after the other, `width` of them a row.
 * `columns` of an update: the numbers of the columns that change.
 */
export type RowGroup = { collection: string; width: number; values: Value[] } & (
  { op: 'insert' | 'add_once' | 'delete' } | { op: 'update'; columns: readonly number[] }
);

export type RowWrites = { groups: readonly RowGroup[]; totals: readonly TotalDelta[] };

/** The columns of a table beside the id and the document, in their order. */
export function storedColumns(collection: CollectionSpec): readonly string[] {
  const fields = columnsOf(collection);
  return collection.searchable === undefined ? fields : [...fields, FOLDED];
}

/**
 * No two changes are of one document, so their order does not matter.
 * @throws AppError `internal` for an id that is no text to store, or an indexed field that is not a single value
 */
export function rowWrites(
  spec: ProjectionSpec,
  changes: readonly Change[],
  { stored }: Pick<DocumentText, 'stored'>,
): RowWrites {
  const rowsOf = new Map<string, Rows>();
  for (const change of changes) {
    const { collection } = change;
    let rows = rowsOf.get(collection);
    if (rows === undefined) {
      const declared = collectionOf(spec, collection);
      const indexed = columnsOf(declared).length;
      rows = { collection, columns: columnsIn(declared), indexed, stored, groups: new Map() };
      rowsOf.set(collection, rows);
    }
    addRow(rows, change);
  }
  const totals = totalDeltas(spec, changes);
  const groups = [...rowsOf.values()].flatMap((rows) => [...rows.groups.values()]);
  return { groups, totals };
}

/** What a commit writes to one collection. */
type Rows = {
  collection: string;
  columns: readonly Column[];
  stored: DocumentText['stored'];
  /** How many of the columns have the fields of indexes: all but the folded text. */
  indexed: number;
  /** The rows of each statement, by its operation and its columns. */
  groups: Map<string, RowGroup>;
};

/** The values of a row beside those of its columns. */
const ID_AND_DOCUMENT = 2;

/** `field`: the one that gives the value of the column. */
type Column = { field: string; valueIn(document: Document): Value };

function columnsIn(collection: CollectionSpec): Column[] {
  const columns = columnsOf(collection).map((field): Column => ({
    field,
    valueIn: (document) => columnValue(document[field], field),
  }));
  const { searchable } = collection;
  if (searchable !== undefined)
    columns.push({ field: searchable, valueIn: (document) => storedFolded(collection, document) });
  return columns;
}

function addRow(rows: Rows, { id, before, after, once }: Change): void {
  if (!isStorableText(id)) fail('internal', `not an id: ${JSON.stringify(id)}`);
  if (after === null) {
    if (before !== null) groupOf(rows, 'delete', 1).values.push(id);
    return;
  }
  const { columns } = rows;
  const own = columns.map((column) => column.valueIn(after));
  const document = rows.stored([id, ...own.slice(0, rows.indexed)], after);
  if (before === null) {
    const op = once === true ? 'add_once' : 'insert';
    const { values } = groupOf(rows, op, columns.length + ID_AND_DOCUMENT);
    values.push(id, ...own, document);
    return;
  }
  const changedColumns: number[] = [];
  const changed: Value[] = [];
  columns.forEach(({ field, valueIn }, n) => {
    // Nearly every change leaves nearly all of them.
    if (isSame(before[field], after[field])) return;
    if (own[n] === valueIn(before)) return;
    changedColumns.push(n);
    changed.push(own[n]!);
  });
  const { values } = groupOf(rows, 'update', changed.length + ID_AND_DOCUMENT, changedColumns);
  values.push(...changed, document, id);
}

/** The group of the rows that one statement writes. */
function groupOf(
  { collection, groups }: Rows,
  op: RowGroup['op'],
  width: number,
  columns: readonly number[] = [],
): RowGroup {
  const key = columns.length === 0 ? op : `${op} ${columns.join()}`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group: RowGroup = { collection, op, columns, width, values: [] };
  groups.set(key, group);
  return group;
}
