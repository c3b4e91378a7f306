/** The columns of a chunk of items, as JSON. */
import type { Instant } from '../../domain/event.js';
import { factColumns, itemColumns, WITH_RUN } from '../../domain/runs/item-chunk.js';
import type { ContentRefs } from '../../domain/contents.js';
import type { FailureGroup } from '../../domain/test-history/result-facts.js';
import type { SubmittedItem } from './submission.js';

export const columnNames = [...itemColumns, ...factColumns] as const;
type ColumnName = (typeof columnNames)[number];

/** The JSON of each value, by column. */
export type ColumnTexts = Record<ColumnName, string[]>;

export function emptyColumns(): ColumnTexts {
  const columns: Partial<ColumnTexts> = {};
  for (const name of columnNames) columns[name] = [];
  return columns as ColumnTexts;
}

/** What lies beside the data of an item. */
type ItemFacts = { group: FailureGroup | null; contents: ContentRefs | null };

/** Statuses and instants need no escapes. */
export function columnTexts(item: SubmittedItem, { group, contents }: ItemFacts): Record<ColumnName, string> {
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
    group: group === null ? 'null' : JSON.stringify(group),
    contents: contents === null ? 'null' : JSON.stringify(contents),
  };
}

/** The columns as fields of JSON. One that may be absent is left out where no item has a value. */
export function columnsJson(columns: ColumnTexts): string {
  return columnNames
    .flatMap((name) => {
      const texts = columns[name];
      const isOne = texts.every((text) => text === texts[0]);
      if (isOne && texts[0] === 'null' && isFact(name)) return [];
      return [`"${name}":${isOne ? texts[0] : `[${texts.join()}]`}`];
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

function isFact(name: ColumnName): boolean {
  return (factColumns as readonly ColumnName[]).includes(name);
}
