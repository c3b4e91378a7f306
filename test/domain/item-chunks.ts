/** Items as the log stores them, by the plainest reading of the form of a chunk. */
import type { EventMeta, NewEvent, RecordedEvent, StreamName } from '../../src/domain/event.js';
import { eventVersions, type EventData, type LedgerEvent } from '../../src/domain/events.js';
import { bulkOriginOf, isId } from '../../src/domain/ids.js';
import {
  CHUNK_ITEMS,
  CHUNK_TYPE,
  CHUNK_VERSION,
  chunkEventId,
  itemColumns,
  type ItemChunk,
} from '../../src/domain/runs/item-chunk.js';

import { groupOfFailed } from '../../src/domain/test-history/result-facts.js';

type Item = EventData['ResultSubmitted'];

/** One chunk of these items, which follow each other. */
export function chunkOf(items: readonly Item[], first: number): ItemChunk {
  const { run_id, project_id, run_branch, run_commit } = items[0]!;
  const columns: Record<string, unknown> = {};
  for (const name of itemColumns) columns[name] = items.map((item) => item[name]);
  const ordinal = (id: string) => bulkOriginOf(id)!.ordinal;
  const groups = items.map((item) => (isId('project', item.project_id) ? groupOfFailed(item) : null));
  const some = <T>(of: (item: Item) => T | undefined) =>
    Object.fromEntries(items.flatMap((item, n) => (of(item) === undefined ? [] : [[first + n, of(item)!]])));
  return {
    item_version: eventVersions.ResultSubmitted,
    first,
    count: items.length,
    run_id,
    project_id,
    run_branch,
    run_commit,
    run_finished_at: '2026-01-01T00:00:00.000Z',
    ...(columns as Pick<ItemChunk, (typeof itemColumns)[number]>),
    ...(groups.some((group) => group !== null) && { group: groups }),
    superseded_by: some(({ superseded_by: by }) => (by === null ? undefined : ordinal(by))),
    supersedes: some(({ supersedes }) => (supersedes.length === 0 ? undefined : supersedes)),
    replaces: some(({ replaces }) => replaces),
    replaced_by: some(({ replaced_by }) => replaced_by),
  };
}

/** The events of a whole submission. Few items make several chunks all the same, unless it is `full`. */
export function chunkEvents(
  stream: StreamName,
  items: readonly Item[],
  metaOfItem: EventMeta,
  { full = items.length > 1_000 } = {},
): NewEvent[] {
  const most = full ? CHUNK_ITEMS : 4;
  const meta = ofCall(metaOfItem);
  const events: NewEvent[] = [];
  for (let first = 0; first < items.length; first += most) {
    const data = chunkOf(items.slice(first, first + most), first);
    events.push({ id: chunkEventId(stream, data), type: CHUNK_TYPE, version: CHUNK_VERSION, data, meta });
  }
  return events;
}

/** Without what lies beside one item. */
function ofCall(meta: EventMeta): EventMeta {
  const { group: _, ...facts } = meta.facts ?? {};
  const { facts: __, ...rest } = meta;
  return Object.keys(facts).length === 0 ? rest : { ...rest, facts };
}

/** Events as a fold gets them: with the chunks of `chunkEvents` in the place of the events of items. */
export function asChunks(events: readonly LedgerEvent[]): LedgerEvent[] {
  const all: RecordedEvent[] = [];
  for (let from = 0; from < events.length;) {
    const { stream, type, meta } = events[from]!;
    const isSame = (event: LedgerEvent) => event.type === type && event.stream === stream;
    const end =
      type === 'ResultSubmitted' ? events.findIndex((event, n) => n > from && !isSame(event)) : from + 1;
    const own = events.slice(from, end < 0 ? undefined : end);
    from += own.length;
    if (type !== 'ResultSubmitted') {
      all.push(...own);
      continue;
    }
    const items = own.map(({ data }) => data as Item);
    for (const chunk of chunkEvents(stream, items, meta)) {
      const { first, count } = chunk.data as ItemChunk;
      const last = own[first + count - 1]!;
      all.push({ ...last, ...chunk });
    }
  }
  return all as LedgerEvent[];
}
