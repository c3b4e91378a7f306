/**
 * Documents of a collection are alike: the same fields, and often the same project, run and nulls. So a document is
 * stored as its difference from a template, an earlier document of the collection. A field is left out where its value
 * is the template's, the id, the value of a field before it, or the value of its column. That is a fifth of the JSON.
 *
 * The column `_doc` has the whole document, `{…}`, or the template's number and then the other fields: the number of
 * each in the template, from 1, and its value. `[7,4,"main",9,null]` has two. The position, which each document has,
 * stands without its zeros (`position-columns.ts`), and the number of its field has a minus: `[7,-1,"f51012-c95"]`.
 */
import type { CollectionSpec, Document } from '../../../domain/projection.js';
import { columnsOf } from '../../shared/view-columns.js';
import { isFullPosition, positionColumn, positionOfColumn } from './position-columns.js';

/** As it is stored. Documents on one template have its fields in its order. */
export type TemplateField = {
  field: string;
  /** The value that documents share; left out where each document writes its own. */
  value?: unknown;
  /** The field before this one that has the same value, `_id`, or `_id#` for the part of the id before its first `#`. */
  same?: string;
};

export type Template = {
  id: number;
  collection: string;
  /** `TemplateField[]` as JSON. */
  text: string;
};

/** Longer values are not shared: a template is in the memory of every thread that reads. */
const LONGEST_SHARED = 200;
/** Shorter values cost less than the look at another field. */
const SHORTEST_SAME = 8;
const FIRST_OF_ID = '_id#';
const MOST_TEMPLATE_CHARACTERS = 4_096;

const POSITION = 'position';

/** The fields of a template for documents like this one; null where it would be too large to keep in memory. */
export function templateFor(id: string, document: Document): string | null {
  const fieldOf = new Map<unknown, string>([[id, '_id']]);
  const hash = id.indexOf('#');
  if (hash >= SHORTEST_SAME) fieldOf.set(id.slice(0, hash), FIRST_OF_ID);
  const fields: TemplateField[] = [];
  for (const field in document) {
    const value = document[field];
    if (value === undefined) continue;
    const same = typeof value === 'string' ? fieldOf.get(value) : undefined;
    if (same !== undefined) fields.push({ field, same });
    else if (JSON.stringify(value).length <= LONGEST_SHARED) fields.push({ field, value });
    else fields.push({ field });
    if (typeof value === 'string' && value.length >= SHORTEST_SAME && same === undefined)
      fieldOf.set(value, field);
  }
  const text = JSON.stringify(fields);
  return text.length <= MOST_TEMPLATE_CHARACTERS ? text : null;
}

type PackingField = {
  field: string;
  /** As in `TemplateField`. */
  value: unknown;
  /** As in `TemplateField`. */
  same: string | undefined;
  /** JSON of a shared list or object. */
  json: string | null;
  /** It has a column, which has the field's value unless that is null or one that `isInColumn` refuses. */
  hasColumn: boolean;
  isPosition: boolean;
};

/** A template, prepared for packing documents. */
export type PackingTemplate = { id: number; fields: readonly PackingField[] };

export function packingTemplate(collection: CollectionSpec, { id, text }: Template): PackingTemplate {
  const columns = columnsOf(collection);
  const { positions = [] } = collection;
  const fields = fieldsIn(text).map((each): PackingField => {
    const { field, value, same } = each;
    const json = typeof value === 'object' && value !== null ? JSON.stringify(value) : null;
    const hasColumn = mayBeInColumn(each) && columns.includes(field);
    return { field, value, same, json, hasColumn, isPosition: positions.includes(field) };
  });
  return { id, fields };
}

/** A template, prepared for reading documents. */
export type ReadingTemplate = {
  /** A document with all fields, in their order, and with the values that documents share. */
  shared: Document;
  fieldList: FieldList;
};

/** The part of a template that others have too: there are thousands of templates, but few lists of fields. */
type FieldList = {
  names: readonly string[];
  /** The fields that have another value than `shared`, even where a document does not write its own. */
  derived: readonly DerivedField[];
};

type DerivedField = {
  /** Its number among the fields, from 1. */
  n: number;
  field: string;
  same: string | undefined;
  /** The index of the column that has its value, -1 without one. */
  column: number;
  isPosition: boolean;
};

/** Returns the function that prepares a template for reading. Templates with the same fields share one list of them. */
export function readingTemplates(collection: CollectionSpec): (template: Template) => ReadingTemplate {
  const columns = columnsOf(collection);
  const { positions = [] } = collection;
  const lists = new Map<string, FieldList>();

  function fieldListOf(fields: readonly TemplateField[]): FieldList {
    const names = fields.map(({ field }) => field);
    const derived = fields.flatMap((each, index): DerivedField[] => {
      const { field, same } = each;
      const column = mayBeInColumn(each) ? columns.indexOf(field) : -1;
      if (same === undefined && column < 0) return [];
      return [{ n: index + 1, field, same, column, isPosition: positions.includes(field) }];
    });
    const key = JSON.stringify([names, derived]);
    const known = lists.get(key) ?? { names, derived };
    lists.set(key, known);
    return known;
  }

  return ({ text }) => {
    const fields = fieldsIn(text);
    return { shared: sharedIn(fields), fieldList: fieldListOf(fields) };
  };
}

function fieldsIn(text: string): TemplateField[] {
  return JSON.parse(text) as TemplateField[];
}

/** A column has 0 or 1 for a boolean, and not every digit of a number. */
function mayBeInColumn({ value }: TemplateField): boolean {
  return value === undefined || value === null || isInColumn(value);
}

/**
 * Made by `JSON.parse`, because V8 would keep an object that is filled by names in variables as a hash table, and all copies
 * of it too (docs/decisions/033). The loop only replaces fields.
 */
function sharedIn(fields: readonly TemplateField[]): Document {
  const names = fields.map(({ field }) => [field, null]);
  const shared = JSON.parse(JSON.stringify(Object.fromEntries(names))) as Record<string, unknown>;
  for (const { field, value } of fields) {
    shared[field] = typeof value === 'object' && value !== null ? deeplyFrozen(value) : value;
  }
  return shared as Document;
}

function deeplyFrozen(value: object): object {
  for (const each of Object.values(value) as unknown[]) {
    if (typeof each === 'object' && each !== null) deeplyFrozen(each);
  }
  return Object.freeze(value);
}

/**
 * The text to store, and how many characters of it a template with the values of `previous`, an earlier document, would
 * save; 0 without one. Null where the document has other fields than the template.
 */
export function packed(
  { id: number, fields }: PackingTemplate,
  id: string,
  document: Document,
  previous: Document | null = null,
): { text: string; repeated: number } | null {
  let n = 0;
  let text = '';
  let repeated = 0;
  for (const field in document) {
    const value = document[field];
    if (value === undefined) continue;
    const expected = fields[n];
    if (expected === undefined || expected.field !== field) return null;
    n += 1;
    if (isLeftOut(expected, id, document, value)) continue;
    const json = JSON.stringify(value);
    if (json === expected.json) continue;
    const own =
      field === POSITION && isFullPosition(value) ? `,${-n},"${positionColumn(value)}"` : `,${n},${json}`;
    text += own;
    const isShareable = json.length <= LONGEST_SHARED;
    if (isShareable && previous !== null && previous[field] === value) repeated += own.length;
  }
  if (n < fields.length) return null;
  return { text: `[${number}${text}]`, repeated };
}

function isLeftOut(
  { same, value: shared, hasColumn, isPosition }: PackingField,
  id: string,
  document: Document,
  value: unknown,
): boolean {
  if (hasColumn && value !== null) return isInColumn(value) && (!isPosition || beginsWithDigit(value));
  return value === (same === undefined ? shared : valueOf(same, id, document));
}

/** The value of the field, or of the part of the id, that `same` names. */
function valueOf(same: string, id: string, document: Readonly<Record<string, unknown>>): unknown {
  if (same === '_id') return id;
  return same === FIRST_OF_ID ? id.slice(0, id.indexOf('#')) : document[same];
}

/** A position does. What its column makes of another text may look like a short position. */
function beginsWithDigit(value: unknown): boolean {
  return typeof value === 'string' && /^\d/.test(value);
}

/** Whether the column gives the value back. SQLite writes numbers with 15 digits as JSON, and ends a text at a NUL. */
function isInColumn(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && Math.abs(value) < 1e15;
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

/** A row as it is read: its id, its columns in the order of `columnsOf`, and its document. */
export type StoredRow = [key: [id: string, ...columns: unknown[]], stored: unknown];

/**
 * Prepares the function that answers the document of a row. `templateOf` answers null for a template of a build that
 * was dropped meanwhile; the document is null then too.
 */
export function rowReader(
  templateOf: (id: number) => ReadingTemplate | null,
): (row: StoredRow) => Document | null {
  return ([key, stored]) => {
    if (!Array.isArray(stored)) return stored as Document;
    const template = templateOf(stored[0] as number);
    if (template === null) return null;
    const { shared, fieldList } = template;
    const { names, derived } = fieldList;
    const own = stored as unknown[];
    const document: Record<string, unknown> = { ...shared };
    // The fields that the document wrote itself.
    for (let at = 1; at < own.length; at += 2) {
      const number = own[at] as number;
      const value = own[at + 1];
      document[names[Math.abs(number) - 1]!] = number < 0 ? positionOfColumn(value as string) : value;
    }
    // Then those that it left out, in their order, because `same` names a field before it.
    let next = 1;
    for (const { n, field, same, column, isPosition } of derived) {
      while (next < own.length && Math.abs(own[next] as number) < n) next += 2;
      if (next < own.length && Math.abs(own[next] as number) === n) continue;
      // The first of the key is the id.
      const inColumn = column < 0 ? undefined : key[column + 1];
      if (typeof inColumn === 'string') {
        document[field] = isPosition ? positionOfColumn(inColumn) : inColumn;
      } else if (typeof inColumn === 'number' && inColumn !== -Infinity) document[field] = inColumn;
      else if (same !== undefined) document[field] = valueOf(same, key[0], document);
    }
    return document as Document;
  };
}

/** The value that a column has for a field. */
export function storedValue(
  { positions = [] }: CollectionSpec,
  field: string,
  value: string | number,
): string | number {
  return typeof value === 'string' && positions.includes(field) ? positionColumn(value) : value;
}
