/**
 * Searching a field for a part of its text, ignoring case: each index that sorts by the field ends with the folded text,
 * so that a search reads entries of the index and no documents.
 */
import type { CollectionSpec, Document } from '../../domain/projection.js';
import { scalarOf } from './view-totals.js';

/** The field of a stored document with the folded text. No field of a document has this name. */
export const FOLDED = '_folded';

/**
 * A text as searches compare it. Upper case, because the lower case of a letter can depend on the letters around it (the
 * Greek sigma): then a part of a text would not be a part of the folded text.
 */
export function foldCase(text: string): string {
  return text.toUpperCase();
}

/** What a store keeps of a document for searches. A value that is no text has no part. */
export function foldedOf({ searchable }: CollectionSpec, document: Document): string {
  const value = searchable === undefined ? null : scalarOf(document[searchable], searchable);
  return typeof value === 'string' ? foldCase(value) : '';
}

/** The stored fields of an index, in order. */
export function indexKey(
  { searchable, filterable = [] }: CollectionSpec,
  fields: readonly string[],
): string[] {
  return [...fields, '_id', ...(searchable === fields.at(-1) ? [FOLDED] : []), ...filterable];
}
