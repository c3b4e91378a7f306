/** Indexes that the file does not have, because a list is merged out of the lists of another one. */
import type { CollectionSpec } from '../../../domain/projection.js';
import { columnValue } from '../../shared/view-columns.js';

/** An index that the file does not have. Its list is merged out of those of `longer`, one for each value of `field`. */
export type MergedIndex = { longer: readonly string[]; field: string; values: readonly (string | number)[] };

/**
 * Null for an index that the file has. Otherwise `longer` is the same index with one field more, of which all values are
 * declared.
 */
export function mergedIndex(collection: CollectionSpec, index: readonly string[]): MergedIndex | null {
  const { indexes, values = {}, sparse = [] } = collection;
  for (const [field, all] of Object.entries(values)) {
    if (all.length === 0 || index.includes(field) || sparse.includes(field)) continue;
    const longer = indexes.find(
      (other) =>
        other.indexOf(field) === index.length - 1 &&
        other.filter((each) => each !== field).join() === index.join() &&
        isUnique(collection, other) === isUnique(collection, index) &&
        mergedIndex(collection, other) === null,
    );
    if (longer !== undefined)
      return { longer, field, values: [...new Set(all.map((value) => columnValue(value, field)))] };
  }
  return null;
}

/** Whether the values of the index tell its documents apart. No two documents have the same position. */
export function isUnique(
  { positions = [], unique = [] }: CollectionSpec,
  fields: readonly string[],
): boolean {
  return positions.includes(fields.at(-1) ?? '') || unique.some((each) => each.join() === fields.join());
}
