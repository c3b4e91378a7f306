import type { LedgerEvent } from '../../src/domain/events.js';

/** The events from which the model computes its documents. */
export type Plain = {
  type: string;
  position: string;
  at: string;
  team: string;
  meta: LedgerEvent['meta'];
  data: { [field: string]: unknown };
};

/** By the field and its value, because a search through all events for each field takes minutes of a long history. */
const indexes = new WeakMap<readonly Plain[], Map<string, Map<unknown, Plain[]>>>();

/** The events whose data have this value in the field, in their order. */
export function having(history: readonly Plain[], field: string, value: unknown): readonly Plain[] {
  const fields = indexes.get(history) ?? new Map<string, Map<unknown, Plain[]>>();
  indexes.set(history, fields);
  let index = fields.get(field);
  if (index === undefined) {
    fields.set(field, (index = new Map()));
    for (const event of history) {
      const found = index.get(event.data[field]);
      if (found === undefined) index.set(event.data[field], [event]);
      else found.push(event);
    }
  }
  return index.get(value) ?? [];
}
