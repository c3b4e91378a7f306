/** Documents in memory that are folded once, and then only read: by their ids, and in the order of the declared indexes. */
import type { Document, ProjectionSpec } from '../domain/projection.js';
import { collectionOf, indexFor, totalFor } from '../adapters/shared/view-indexes.js';
import { foldCase } from '../adapters/shared/view-search.js';
import type { Change, Cursor, DocumentKey, Found, ViewQuery } from '../ports/views.js';

export type PastDocuments = {
  load(keys: readonly DocumentKey[]): Promise<(Document | null)[]>;
  keep(changes: readonly Change[]): void;
  get(collection: string, ids: readonly string[]): (Document | null)[];
  find(collection: string, query: ViewQuery): Found;
  /** All of a collection, by their ids. */
  of(collection: string): ReadonlyMap<string, Document>;
  all(): Iterable<Document>;
};

/** A document in an index. Null sorts before numbers, and these before texts, as in the stores. */
type Entry = { id: string; value: Scalar; document: Document };
type Scalar = string | number | null;

/** Of a read model. */
export function pastDocuments(spec: Pick<ProjectionSpec, 'name' | 'collections'>): PastDocuments {
  const collections = new Map<string, Map<string, Document>>();
  /** By collection, by fields and by their values: made for the first query that needs it. */
  const lists = new Map<string, Map<string, Map<string, Entry[]>>>();
  /** What a fold puts into others is for its own parts alone. */
  const stored = new Set(spec.collections.map(({ name }) => name));

  const at = (collection: string, id: string): Document | null =>
    collections.get(collection)?.get(id) ?? null;

  function listOf(name: string, fields: readonly string[], { where, sort }: ViewQuery): readonly Entry[] {
    let ofCollection = lists.get(name);
    if (ofCollection === undefined) lists.set(name, (ofCollection = new Map()));
    const key = `${fields.join()} ${sort.field}`;
    let byValues = ofCollection.get(key);
    if (byValues === undefined) {
      byValues = new Map();
      for (const [id, document] of collections.get(name) ?? []) {
        const values = valuesOf(document, fields);
        const entry = { id, value: scalarOf(document[sort.field]), document };
        const list = byValues.get(values);
        if (list === undefined) byValues.set(values, [entry]);
        else list.push(entry);
      }
      for (const list of byValues.values()) list.sort(compare);
      ofCollection.set(key, byValues);
    }
    return byValues.get(valuesOf(where, fields)) ?? [];
  }

  return {
    load: async (keys) => keys.map(({ collection, id }) => at(collection, id)),
    keep(changes) {
      for (const { collection, id, after } of changes) {
        if (!stored.has(collection)) continue;
        if (lists.size > 0) lists.delete(collection);
        let own = collections.get(collection);
        if (own === undefined) collections.set(collection, (own = new Map()));
        if (after === null) own.delete(id);
        else own.set(id, after);
      }
    },
    get: (collection, ids) => ids.map((id) => at(collection, id)),
    find(name, query) {
      const collection = collectionOf(spec, name);
      // As in the stores, a query that no index serves is refused.
      indexFor(collection, query);
      const counts = totalFor(collection, query);
      const { sort, limit, offset = 0 } = query;
      const list = listOf(name, Object.keys(query.where).sort(), query);
      const matching = list.filter((entry) => contains(entry, query) && hasParts(entry, query));
      const ranged = matching.filter((entry) => isWithin(entry, query));
      const ordered = sort.direction === 'ascending' ? ranged : ranged.toReversed();
      const rest = ordered.filter((entry) => isBehind(entry, query));
      const page = rest.slice(offset, offset + limit);
      const last = rest.length > offset + limit ? page.at(-1) : undefined;
      return {
        items: page.map(({ document }) => document),
        next: last === undefined ? null : { value: last.value, id: last.id },
        ...(counts !== null && { total: (query.total === 'counted' ? ranged : matching).length }),
      };
    },
    of: (collection) => collections.get(collection) ?? new Map<string, Document>(),
    *all() {
      for (const own of collections.values()) yield* own.values();
    },
  };
}

function valuesOf(source: Readonly<Record<string, unknown>>, fields: readonly string[]): string {
  return JSON.stringify(fields.map((field) => scalarOf(source[field])));
}

function scalarOf(value: unknown): Scalar {
  if (value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : (value as Scalar);
}

function compare(one: Cursor, other: Cursor): number {
  return compareScalars(one.value, other.value) || compareTexts(one.id, other.id);
}

function compareScalars(one: Scalar, other: Scalar): number {
  const kind = (value: Scalar) => (value === null ? 0 : typeof value === 'number' ? 1 : 2);
  if (kind(one) !== kind(other)) return kind(one) - kind(other);
  if (typeof one === 'string') return compareTexts(one, other as string);
  return Number(one) - Number(other);
}

/** By code point, as the stores sort. Only texts with surrogates differ from the order of UTF-16. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function contains({ value }: Entry, { contains: parts = [] }: ViewQuery): boolean {
  if (parts.length === 0) return true;
  if (typeof value !== 'string') return false;
  const folded = foldCase(value);
  return parts.every((part) => folded.includes(foldCase(part)));
}

function hasParts({ document }: Entry, { parts = [] }: ViewQuery): boolean {
  return parts.every(({ field, part, not = false }) => {
    const value = document[field];
    return (typeof value === 'string' && value.includes(part)) !== not;
  });
}

/** A range with one bound holds values of its type only. */
function isWithin({ value }: Entry, { range: { from, to, exclusive = false } = {} }: ViewQuery): boolean {
  const isIn = (bound: Scalar | undefined, side: 1 | -1) => {
    if (bound === undefined) return true;
    if (typeof value !== typeof bound) return false;
    const order = compareScalars(value, bound) * side;
    return exclusive ? order > 0 : order >= 0;
  };
  return isIn(from, 1) && isIn(to, -1);
}

function isBehind(entry: Entry, { after, sort }: ViewQuery): boolean {
  if (after === undefined) return true;
  return sort.direction === 'ascending' ? compare(entry, after) > 0 : compare(entry, after) < 0;
}
