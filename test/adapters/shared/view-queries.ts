import type { ViewQuery } from '../../../src/ports/views.js';

/**
 * Every shape that a query on an index can have; `searchable` is that of its collection. In each store, its plan must use
 * the index.
 */
export function everyShape(index: readonly string[], searchable?: string): ViewQuery[] {
  const field = index.at(-1) ?? '';
  const value = field === 'rank' ? 1 : 'x';
  const where = Object.fromEntries(index.slice(0, -1).map((name) => [name, 'x']));
  const starts = [{}, { after: { value, id: 'a' } }, { after: { value: null, id: 'a' } }, { offset: 20_000 }];
  const ranges = [
    {},
    { from: value },
    { to: value },
    { from: value, to: value },
    { from: value, exclusive: true },
  ];
  const parts = field === searchable ? [{}, { contains: 'part' }] : [{}];
  return (['ascending', 'descending'] as const).flatMap((direction) =>
    starts.flatMap((start) =>
      ranges.flatMap((range) =>
        parts.map((part) => ({ where, sort: { field, direction }, limit: 20, range, ...start, ...part })),
      ),
    ),
  );
}
