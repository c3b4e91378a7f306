/**
 * The rows that a commit writes into the tables of a build. They are made where the documents are, and written where the
 * file is written: texts and numbers go to another thread at a small part of the cost of documents.
 */
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { Change } from '../../../ports/views.js';
import { isStorableText } from '../../shared/storable-text.js';
import { columnValue, columnsOf } from '../../shared/view-columns.js';
import { collectionOf } from '../../shared/view-indexes.js';
import { FOLDED } from '../../shared/view-search.js';
import { isSame, totalDeltas, type TotalDelta } from '../../shared/view-totals.js';
import { storedFolded } from './layout.js';
import { storedValue, type Template } from './packing.js';
import type { Packer } from './templates.js';

type Value = string | number;

/**
 * Rows that one statement writes. `values` has the parameters of all rows one after the other, `width` of them a row.
 * `columns` of an update: the numbers of the columns that change.
 */
export type RowGroup = { collection: string; width: number; values: Value[] } & (
  { op: 'insert' | 'add_once' | 'delete' } | { op: 'update'; columns: readonly number[] }
);

export type RowWrites = {
  groups: readonly RowGroup[];
  totals: readonly TotalDelta[];
  /** What the documents need that the file may not have yet. */
  templates: readonly Template[];
};

/** The columns of a table beside the id and the document, in their order. */
export function storedColumns(collection: CollectionSpec): readonly string[] {
  const fields = columnsOf(collection);
  return collection.searchable === undefined ? fields : [...fields, FOLDED];
}

/**
 * No two changes are of one document, so their order does not matter.
 * @throws LedgerError `internal` for an id that is no text to store, or an indexed field that is not a single value
 */
export function rowWrites(
  spec: ProjectionSpec,
  changes: readonly Change[],
  packer: Pick<Packer, 'pack' | 'unstored'>,
): RowWrites {
  const rowsOf = new Map<string, RowOf>();
  const groups = new Map<string, RowGroup>();
  for (const change of changes) {
    const { collection } = change;
    let rows = rowsOf.get(collection);
    if (rows === undefined) {
      const declared = collectionOf(spec, collection);
      const text: RowOf['text'] = (id, document, isNew) => packer.pack(declared, id, document, isNew);
      rows = { columns: columnsIn(declared), text };
      rowsOf.set(collection, rows);
    }
    addRow(groups, change, rows);
  }
  const totals = totalDeltas(spec, changes);
  return { groups: [...groups.values()], totals, templates: packer.unstored() };
}

/** The columns of a document's row, and the text of its document. */
type RowOf = {
  columns: readonly Column[];
  text(id: string, document: Document, isNew: boolean): string;
};

/** `field`: the one that gives the value of the column. */
type Column = { field: string; valueIn(document: Document): Value };

function columnsIn(collection: CollectionSpec): Column[] {
  const columns = columnsOf(collection).map((field): Column => ({
    field,
    valueIn: (document) => storedValue(collection, field, columnValue(document[field], field)),
  }));
  const { searchable } = collection;
  if (searchable !== undefined)
    columns.push({ field: searchable, valueIn: (document) => storedFolded(collection, document) });
  return columns;
}

function addRow(
  groups: Map<string, RowGroup>,
  { collection, id, before, after, once }: Change,
  row: RowOf,
): void {
  if (!isStorableText(id)) fail('internal', `not an id: ${JSON.stringify(id)}`);
  if (after === null) {
    if (before !== null) put(groups, { collection, op: 'delete' }, [id]);
    return;
  }
  const text = row.text(id, after, before === null);
  if (before === null) {
    const values = row.columns.map((column) => column.valueIn(after));
    put(groups, { collection, op: once === true ? 'add_once' : 'insert' }, [id, ...values, text]);
    return;
  }
  const columns: number[] = [];
  const changed: Value[] = [];
  row.columns.forEach(({ field, valueIn }, n) => {
    // Nearly every change leaves nearly all of them.
    if (isSame(before[field], after[field])) return;
    const value = valueIn(after);
    if (value === valueIn(before)) return;
    columns.push(n);
    changed.push(value);
  });
  put(groups, { collection, op: 'update', columns }, [...changed, text, id]);
}

function put(
  groups: Map<string, RowGroup>,
  statement: { collection: string; op: RowGroup['op']; columns?: readonly number[] },
  row: readonly Value[],
): void {
  const { collection, op, columns = [] } = statement;
  const key = `${collection} ${op} ${columns.join()}`;
  const group = groups.get(key);
  if (group !== undefined) group.values.push(...row);
  else groups.set(key, { collection, op, columns, width: row.length, values: [...row] });
}
