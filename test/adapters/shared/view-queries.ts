import type { CollectionSpec } from '../../../src/domain/projection.js';
import type { ViewQuery } from '../../../src/ports/views.js';

/**
 * Every shape that a query on an index of a collection can have. In each store, its plan must use the index.
 */
export function everyShape(
  { searchable, filterable = [] }: Pick<CollectionSpec, 'searchable' | 'filterable'>,
  index: readonly string[],
): ViewQuery[] {
  const field = index.at(-1) ?? '';
  const value = field === 'rank' ? 1 : 'x';
  const equal = Object.fromEntries(index.slice(0, -1).map((name) => [name, 'x']));
  const wheres = [equal, ...filterable.map((name) => ({ ...equal, [name]: 'x' }))];
  const starts = [{}, { after: { value, id: 'a' } }, { after: { value: null, id: 'a' } }, { offset: 20_000 }];
  const ranges = [
    {},
    { from: value },
    { to: value },
    { from: value, to: value },
    { from: value, exclusive: true },
  ];
  const texts = filterable.filter((name) => name !== 'number');
  const among = filterable.includes('number') ? [{ among: { field: 'number', digits: '01' } }] : [];
  const filters = texts.flatMap((name) => [true, false].map((not) => ({ field: name, part: 'x', not })));
  const parts = [
    {},
    ...(field === searchable ? [{ contains: ['part'] }] : []),
    ...(filters.length > 0 ? [{ parts: filters, ...among[0] }] : []),
    ...among,
  ];
  return (['ascending', 'descending'] as const).flatMap((direction) =>
    starts.flatMap((start) =>
      ranges.flatMap((range) =>
        parts.flatMap((part) =>
          wheres.map((where) => ({ where, sort: { field, direction }, limit: 20, range, ...start, ...part })),
        ),
      ),
    ),
  );
}
