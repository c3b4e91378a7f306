/** A query as a pipeline: the page by its declared index, and the marker and the total of the same moment. */
import type { Document as Stage } from 'mongodb';
import { quoted } from '../../../domain/text/quoted.js';
import type { ViewQuery } from '../../../ports/views.js';
import { COUNTED, MARKER } from './layout.js';
import { columnValue, filtersOf } from '../../shared/view-columns.js';
import { FOLDED, foldCase } from '../../shared/view-search.js';

type Condition = Record<string, unknown>;

/**
 * The page, with one document more than the limit where more follow, and after it the marker of the build and the total
 * with that id, or counted. Run it with the index as its hint: otherwise the planner may sometimes try others.
 */
export function pageStages(
  collection: string,
  index: readonly string[],
  query: ViewQuery,
  total: string | null,
): Stage[] {
  const direction = query.sort.direction === 'ascending' ? 1 : -1;
  const besides = total === null || total === COUNTED ? [MARKER] : [MARKER, total];
  return [
    { $match: conditionOf(index, query) },
    ...numbers(query),
    { $sort: { [query.sort.field]: direction, _id: direction } },
    ...(query.offset === undefined || query.offset === 0 ? [] : [{ $skip: query.offset }]),
    { $limit: query.limit + 1 },
    { $unionWith: { coll: collection, pipeline: [{ $match: { _id: { $in: besides } } }] } },
    ...(total === COUNTED ? [{ $unionWith: { coll: collection, pipeline: countStages(index, query) } }] : []),
  ];
}

/** Every index that begins with these fields holds the folded text, so no document is read. */
export function countStages(index: readonly string[], query: ViewQuery): Stage[] {
  const counted = query.total === 'counted' ? range(query) : [];
  const condition = all([...equals(index, query), ...filters(index, query), ...parts(query), ...counted]);
  return [
    { $match: condition },
    ...numbers(query),
    { $group: { _id: { $literal: COUNTED }, _n: { $sum: 1 } } },
  ];
}

/** With a cursor: an `$or` of ranges, each in the order of the index, which the server merges without sorting. */
function conditionOf(index: readonly string[], query: ViewQuery): Condition {
  const always = [...equals(index, query), ...filters(index, query), ...parts(query), ...range(query)];
  const starts = after(query);
  if (starts.length === 0) return all(always);
  return { $or: starts.map((start) => all([...always, ...start])) };
}

/** The server checks an expression on the entry of the index. */
function parts({ contains = [], parts: filters = [] }: ViewQuery): Condition[] {
  return [
    ...contains.map((each) => ({ [FOLDED]: { $regex: quoted(foldCase(each)) } })),
    ...filters.map(({ field, part, not = false }) => {
      if (!not) return { [field]: { $regex: quoted(part) } };
      // The server enters no index for a `$not` of an expression.
      return { [field]: { $in: [columnValue(null, field), new RegExp(`^(?![\\s\\S]*${quoted(part)})`)] } };
    }),
  ];
}

/** The server reads the documents for this. A list of the numbers, which it would look for in the index, has no bound in bytes. */
function numbers({ among }: ViewQuery): Stage[] {
  if (among === undefined) return [];
  const number = `$${among.field}`;
  const digit = { $substrBytes: [{ $literal: among.digits }, number, 1] };
  return [{ $match: { $expr: { $cond: [{ $gte: [number, 0] }, { $eq: [digit, '1'] }, false] } } }];
}

function equals(index: readonly string[], { where, sort }: ViewQuery): Condition[] {
  // The marker and the totals have no fields. Where no other condition leaves them out, this one does, by the index
  // alone.
  if (index.length === 1) return [{ [sort.field]: { $ne: null } }];
  return index.slice(0, -1).map((field) => ({ [field]: columnValue(where[field], field) }));
}

/** The index holds these fields after its own, so the server compares them on its entries. */
function filters(index: readonly string[], query: ViewQuery): Condition[] {
  return filtersOf(query, index).map((field) => ({ [field]: columnValue(query.where[field], field) }));
}

/** A comparison holds for values of one type only. Numbers, of which null is the smallest, come before texts. */
function after({ sort: { field, direction }, after: cursor }: ViewQuery): Condition[][] {
  if (cursor === undefined) return [];
  const value = columnValue(cursor.value, field);
  const forwards = direction === 'ascending';
  const further = forwards ? '$gt' : '$lt';
  const starts: Condition[][] = [
    [{ [field]: value }, { _id: { [further]: cursor.id } }],
    [{ [field]: { [further]: value } }],
  ];
  if (forwards && typeof value === 'number') starts.push([{ [field]: { $gte: '' } }]);
  if (!forwards && typeof value === 'string') starts.push([{ [field]: { $lte: Infinity } }]);
  return starts;
}

/** Only values of the bounds' type. Null, the smallest number, is in no range. */
function range({ range: wanted = {}, sort: { field } }: ViewQuery): Condition[] {
  const { from, to, exclusive = false } = wanted;
  const bounds: Condition[] = [];
  if (from !== undefined) bounds.push({ [field]: { [exclusive ? '$gt' : '$gte']: from } });
  if (to !== undefined) bounds.push({ [field]: { [exclusive ? '$lt' : '$lte']: to } });
  if (from === undefined && typeof to === 'number') bounds.push({ [field]: { $gt: -Infinity } });
  return bounds;
}

function all(conditions: Condition[]): Condition {
  return conditions.length === 0 ? {} : { $and: conditions };
}
