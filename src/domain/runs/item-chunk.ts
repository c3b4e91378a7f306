/**
 * Chunks: how the log stores the items of a submission. An event for each item would cost a row, a copy from thread to thread
 * and a look-up each; a chunk costs that once for hundreds of items. A reader of a log gets an event for each item all the same
 * (docs/decisions/034), except a fold, which takes a chunk as one (docs/decisions/035).
 */
import { v5 } from 'uuid';
import type { EventMeta, Instant, RecordedEvent, StreamName } from '../event.js';
import type { EventData } from '../events.js';
import type { ContentRefs } from '../contents.js';
import { itemId } from '../ids.js';
import type { FailureGroup } from '../test-history/result-facts.js';

export const CHUNK_TYPE = 'ResultsSubmitted';
/** Of the form of chunks. A chunk says itself of which version its items are. */
export const CHUNK_VERSION = 1;
/** The most items of a chunk. EventStoreDB takes 1 MiB in a call, and a reader of one item reads all of its chunk. */
export const CHUNK_ITEMS = 500;
/** The most characters of its columns, unless one item alone has more. */
export const CHUNK_CHARACTERS = 128 * 1024;

type Item = EventData['ResultSubmitted'];

/** A value for each item, or the one value of all items. No field of an item is a list itself. */
type Column<T> = readonly T[] | T;

/** In the column of finishes: the item ends with its run. */
export const WITH_RUN = 0;

/** The data of a chunk event, as JSON. Lists by ordinal have the items that differ from the most. */
export type ItemChunk = {
  /** The version of `ResultSubmitted` that the items have. */
  item_version: number;
  /** The ordinal of the first item. */
  first: number;
  count: number;
  run_id: string;
  project_id: string;
  run_branch: string | null;
  run_commit: string | null;
  run_finished_at: Instant;
  test_name: Column<string>;
  status: Column<Item['status']>;
  error_message: Column<string | null>;
  metadata: Column<Item['metadata']>;
  started_at: Column<Instant | null>;
  finished_at: Column<Instant | null | typeof WITH_RUN>;
  execution_time_ms: Column<number | null>;
  attempt: Column<number>;
  /** What lies beside the data of an item. Absent where no item has any. */
  group?: Column<FailureGroup | null>;
  contents?: Column<ContentRefs | null>;
  /** The ids of tests whose names were redacted. */
  test_id?: Column<string | null>;
  /** Ordinals in the same submission. */
  superseded_by?: Readonly<Record<string, number>>;
  supersedes?: Readonly<Record<string, readonly number[]>>;
  /** Ids of results of other submissions. */
  replaces?: Readonly<Record<string, readonly string[]>>;
  replaced_by?: Readonly<Record<string, readonly string[]>>;
};

/** A chunk as a fold gets it: its position is that of its last item in the feed. */
export type ChunkEvent = Omit<RecordedEvent, 'type' | 'data'> & { type: typeof CHUNK_TYPE; data: ItemChunk };

export function isChunk(event: { type: string }): event is ChunkEvent {
  return event.type === CHUNK_TYPE;
}

/** What an event counts where events are limited: a chunk as much as its items. */
export function weightOf(event: RecordedEvent): number {
  return isChunk(event) ? event.data.count : 1;
}

export function weightOfAll(events: readonly RecordedEvent[]): number {
  return events.reduce((sum, event) => sum + weightOf(event), 0);
}

type ColumnOf<K extends keyof ItemChunk> = [] extends ItemChunk[K] ? K : never;
/** The required fields that may be lists. By type, so that none is left out below: a part of a chunk would lose its values. */
export type ItemColumn = {
  [K in keyof ItemChunk]-?: undefined extends ItemChunk[K] ? never : ColumnOf<K>;
}[keyof ItemChunk];
const columns: Readonly<Record<ItemColumn, true>> = {
  test_name: true,
  status: true,
  error_message: true,
  metadata: true,
  started_at: true,
  finished_at: true,
  execution_time_ms: true,
  attempt: true,
};
export const itemColumns = Object.keys(columns) as readonly ItemColumn[];

/** Those of what lies beside the data. */
export const factColumns = ['group', 'contents'] as const satisfies readonly (keyof ItemChunk)[];
/** That which a redaction adds. */
const laterColumns = [...factColumns, 'test_id'] as const satisfies readonly (keyof ItemChunk)[];

/** The fields that are maps by ordinal. */
const itemRelations = ['superseded_by', 'supersedes', 'replaces', 'replaced_by'] as const;

/** Whether each list has a value for each item. Data that were damaged could have too few. */
export function isWhole(chunk: ItemChunk | null): boolean {
  if (!Number.isSafeInteger(chunk?.first) || !Number.isSafeInteger(chunk?.count)) return false;
  const isFull = (column: unknown) => !Array.isArray(column) || column.length === chunk!.count;
  return (
    itemColumns.every((name) => chunk![name] !== undefined && isFull(chunk![name])) &&
    laterColumns.every((name) => isFull(chunk![name]))
  );
}

/** The data of each item of a chunk, in order. `submission_id`: its submission, whose stream the chunk is in. */
export function itemsIn(chunk: ItemChunk, submission_id: string): Item[] {
  return Array.from({ length: chunk.count }, (_, n) => itemIn(chunk, submission_id, n));
}

/** The data of one item. `n`: its place in the chunk. */
export function itemIn(chunk: ItemChunk, submission_id: string, n: number): Item {
  const { project_id, run_id, run_branch, run_commit, run_finished_at } = chunk;
  const ordinal = chunk.first + n;
  const superseder = chunk.superseded_by?.[ordinal];
  const replaces = chunk.replaces?.[ordinal];
  const replaced_by = chunk.replaced_by?.[ordinal];
  const finished_at = valueIn(chunk.finished_at, n);
  const item: Item = {
    result_id: itemId(submission_id, ordinal),
    project_id,
    run_id,
    run_branch,
    run_commit,
    superseded_by: superseder === undefined ? null : itemId(submission_id, superseder),
    supersedes: [...(chunk.supersedes?.[ordinal] ?? [])],
    test_name: valueIn(chunk.test_name, n),
    status: valueIn(chunk.status, n),
    error_message: valueIn(chunk.error_message, n),
    metadata: valueIn(chunk.metadata, n),
    started_at: valueIn(chunk.started_at, n),
    finished_at: finished_at === WITH_RUN ? run_finished_at : finished_at,
    execution_time_ms: valueIn(chunk.execution_time_ms, n),
    attempt: valueIn(chunk.attempt, n),
  };
  if (replaces !== undefined) item.replaces = [...replaces];
  if (replaced_by !== undefined) item.replaced_by = [...replaced_by];
  return item;
}

/** The meta of the event of one item. Most items have those of their chunk. */
export function metaIn<M extends object>(
  chunk: ItemChunk,
  meta: M & { facts?: EventMeta['facts'] | undefined },
  n: number,
): M & Pick<EventMeta, 'facts'> {
  const group = chunk.group === undefined ? null : valueIn(chunk.group, n);
  const contents = chunk.contents === undefined ? null : valueIn(chunk.contents, n);
  const test_id = chunk.test_id === undefined ? null : valueIn(chunk.test_id, n);
  if (group === null && contents === null && test_id === null) return meta as M & Pick<EventMeta, 'facts'>;
  const facts = {
    ...meta.facts,
    ...(group && { group }),
    ...(contents && { contents }),
    ...(test_id && { test_id }),
  };
  return { ...meta, facts };
}

export function statusIn(chunk: ItemChunk, n: number): Item['status'] {
  return valueIn(chunk.status, n);
}

/** The items of a chunk from the ordinal `first` on, as a chunk. */
export function partOf(chunk: ItemChunk, first: number, count: number): ItemChunk {
  if (first === chunk.first && count === chunk.count) return chunk;
  const part: Record<string, unknown> = { ...chunk, first, count };
  const at = first - chunk.first;
  for (const name of [...itemColumns, ...laterColumns]) {
    const column: unknown = chunk[name];
    if (!Array.isArray(column)) continue;
    const values: unknown[] = column.slice(at, at + count);
    part[name] = values.every((value) => value === values[0]) ? values[0] : values;
  }
  for (const name of itemRelations) {
    const own = Object.entries(chunk[name] ?? {}).filter(([key]) => {
      const ordinal = Number(key);
      return ordinal >= first && ordinal < first + count;
    });
    if (own.length > 0) part[name] = Object.fromEntries(own);
    else delete part[name];
  }
  return part as ItemChunk;
}

/** That of one item. */
export function valueIn<T>(column: Column<T>, n: number): T {
  return Array.isArray(column) ? (column as readonly T[])[n]! : (column as T);
}

/** The UUID of a chunk: it says which items are in it, so that a repeat that cuts otherwise has other ids. */
export function chunkEventId(
  stream: StreamName,
  { first, count }: Pick<ItemChunk, 'first' | 'count'>,
): string {
  return v5(`${stream}#${first}+${count}`, NAMESPACE);
}

const NAMESPACE = '6f1c2c0e-6d0b-5b7e-9d3c-6a1b8f7f4d11';
