/** What random histories say of causes. */
import * as fc from 'fast-check';
import type { MemoryLedger } from './memory-ledger.js';

export const causeChanges = some({
  owner: fc.constantFrom(null, '@shop', '😀'),
  note: fc.constantFrom(null, 'looked at it'),
  ticket: fc.constantFrom(null, 'https://tickets.example/1'),
  state: fc.constantFrom('open' as const, 'fixed' as const),
});

/** The groups of the failures so far, the newest last. */
export function groupsIn({ events }: Pick<MemoryLedger, 'events'>): string[] {
  return events.flatMap(({ meta }) => {
    const group = meta.facts?.['group'] as { id: string } | undefined;
    return group === undefined ? [] : [group.id];
  });
}

/** Of the group that failed last, in whatever project. */
export function changeNewest(
  ledger: MemoryLedger,
  project: Parameters<MemoryLedger['changeCause']>[0],
  changes: Parameters<MemoryLedger['changeCause']>[2],
): void {
  const group = groupsIn(ledger).at(-1);
  if (group !== undefined) ledger.changeCause(project, group, changes);
}

/** Any subset of the fields. */
export function some<T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<
  Partial<T>
> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}
