/** The columns of a chunk of items, as JSON. */
import type { Instant } from '../domain/event.js';
import { itemColumns, WITH_RUN, type ItemColumn } from '../domain/runs/item-chunk.js';
import type { SubmittedItem } from './submission.js';

/** The JSON of each value, by column. */
export type ColumnTexts = Record<ItemColumn, string[]>;

export function emptyColumns(): ColumnTexts {
  const columns: Partial<ColumnTexts> = {};
  for (const name of itemColumns) columns[name] = [];
  return columns as ColumnTexts;
}

/** Statuses and instants need no escapes. */
export function columnTexts(item: SubmittedItem): Record<ItemColumn, string> {
  const { test_name, status, error_message, metadata, started_at, finished_at, execution_time_ms, attempt } =
    item;
  const instant = (value: Instant | null) => (value === null ? 'null' : `"${value}"`);
  return {
    test_name: JSON.stringify(test_name),
    status: `"${status}"`,
    error_message: error_message === null ? 'null' : JSON.stringify(error_message),
    metadata: metadata === null ? 'null' : JSON.stringify(metadata),
    started_at: instant(started_at),
    finished_at: finished_at === undefined ? String(WITH_RUN) : instant(finished_at),
    execution_time_ms: String(execution_time_ms),
    attempt: String(attempt),
  };
}

/** The columns as fields of JSON. */
export function columnsJson(columns: ColumnTexts): string {
  return itemColumns
    .map((name) => {
      const texts = columns[name];
      const isOne = texts.every((text) => text === texts[0]);
      return `"${name}":${isOne ? texts[0] : `[${texts.join()}]`}`;
    })
    .join();
}

/** The same columns with the values of some items only. */
export function columnsOf(json: string, first: number, count: number): string {
  const columns = JSON.parse(`{${json}}`) as Record<string, unknown>;
  for (const [name, column] of Object.entries(columns))
    if (Array.isArray(column)) columns[name] = column.slice(first, first + count);
  return JSON.stringify(columns).slice(1, -1);
}
