/** Results as events make and change them, each by the folds that the read models use. */
import {
  itemPosition,
  logPosition,
  parseStreamName,
  type Position,
  type RecordedEvent,
} from '../../domain/event.js';
import type { LedgerEvent } from '../../domain/events.js';
import { bulkOriginOf, itemId } from '../../domain/ids.js';
import { covers } from '../../domain/known-failure.js';
import { result, type PresentResult } from '../../domain/results/result.js';
import { isChunk, itemIn, metaIn, type ChunkEvent } from '../../domain/runs/item-chunk.js';
import { othersOf } from '../../domain/supersession.js';
import { historyEvent } from '../../domain/test-history/result-change.js';
import type { Names } from './names.js';

/** A result in a table. It is changed in place: nearly all of them are made, shown and dropped. */
export type TableResult = {
  present: PresentResult;
  superseded_by: string | null;
  /** By results of higher attempts of its shard. */
  replaced_by: readonly string[];
  known: boolean;
  group: string | null;
  deleted: boolean;
  revision: number;
  /** Of its last change. */
  position: Position;
};

/** `state`: after the change. `before`: whether it counted in its run, with its status; null for one that is made. */
export type ResultChanged = { id: string; state: TableResult; before: Counted | null; made: boolean };
export type Counted = { status: PresentResult['status']; counts: boolean };

export type FoldOptions = {
  names: Names;
  /** A result that an event changes; undefined for one that the table does not follow. */
  at(id: string): TableResult | undefined;
  /** Whether the table follows a result that is made. */
  follows(id: string, position: Position): boolean;
};

/** The changes of an event, in order: its own result first. */
export function* resultChanges(
  recorded: RecordedEvent,
  options: FoldOptions,
): Generator<ResultChanged, void> {
  if (isChunk(recorded)) return yield* chunkChanges(recorded, options);
  const event = recorded as LedgerEvent;
  switch (event.type) {
    case 'ResultCreated': {
      const { result_id: id, retry_of } = event.data;
      if (options.follows(id, event.position)) yield made(id, event, options.names);
      if (retry_of !== null) yield* changed(retry_of, event, options, (state) => (state.superseded_by = id));
      return;
    }
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
      return yield* changed(event.data.result_id, event, options, (state) =>
        evolve(state, event, options.names),
      );
    case 'ResultRedacted':
      return yield* changed(event.data.result_id, event, options, (state) => {
        state.present = result.evolve(state.present, event) as PresentResult;
      });
    case 'ResultDeleted': {
      const { result_id: by } = event.data;
      yield* changed(by, event, options, (state) => (state.deleted = true));
      for (const id of othersOf(event)) {
        yield* changed(id, event, options, (state) => {
          if (state.superseded_by === by) state.superseded_by = null;
          state.replaced_by = state.replaced_by.filter((each) => each !== by);
        });
      }
      return;
    }
    default:
  }
}

function* chunkChanges(event: ChunkEvent, options: FoldOptions): Generator<ResultChanged, void> {
  const { data: chunk, meta, stream } = event;
  const submission = parseStreamName(stream).id;
  const parent = logPosition(event.position);
  for (let n = 0; n < chunk.count; n += 1) {
    const ordinal = chunk.first + n;
    const id = itemId(submission, ordinal);
    const position = itemPosition(parent, ordinal);
    if (options.follows(id, position)) {
      const data = itemIn(chunk, submission, n);
      const item = {
        ...event,
        type: 'ResultSubmitted',
        data,
        meta: metaIn(chunk, meta, n),
        position,
      } as const;
      yield made(id, item, options.names);
    }
    for (const each of chunk.replaces?.[ordinal] ?? []) {
      yield* changed(each, { ...event, position }, options, (state) => {
        state.replaced_by = [...state.replaced_by, id];
      });
    }
  }
}

type Making = LedgerEvent<'ResultCreated'> | LedgerEvent<'ResultSubmitted'>;

function made(id: string, event: Making, names: Names): ResultChanged {
  const present = result.evolve(result.initial, event) as PresentResult;
  const { superseded_by = null, replaced_by = [] } = 'superseded_by' in event.data ? event.data : {};
  const state: TableResult = {
    present,
    superseded_by,
    replaced_by: replaced_by.length === 0 ? NONE : replaced_by.filter((each) => !names.isDeleted(each)),
    known: false,
    group: null,
    deleted: false,
    revision: 1,
    position: event.position,
  };
  if (present.status === 'Failed') setFailure(state, event, names);
  return { id, state, before: null, made: true };
}

const NONE: readonly string[] = [];

function* changed(
  id: string,
  { position }: Pick<RecordedEvent, 'position'>,
  { at }: FoldOptions,
  change: (state: TableResult) => void,
): Generator<ResultChanged, void> {
  const state = at(id);
  // A deleted result changes no more.
  if (state === undefined || state.deleted) return;
  const before = countedOf(state);
  change(state);
  state.revision += 1;
  state.position = position;
  yield { id, state, before, made: false };
}

/** In the outcome of a run, results that others supersede do not count. */
export function countedOf({ present, superseded_by, replaced_by, deleted }: TableResult): Counted {
  return { status: present.status, counts: !deleted && superseded_by === null && replaced_by.length === 0 };
}

/** The next attempt comes first: within the submission, and then in the shard. */
export function supersederOf({ superseded_by, replaced_by }: TableResult): string | null {
  return superseded_by ?? replaced_by[0] ?? null;
}

/** The submission of a result; null for one that was recorded by itself. */
export function submissionOf(id: string): string | null {
  return bulkOriginOf(id)?.submission_id ?? null;
}

type Later = LedgerEvent<'ResultStarted'> | LedgerEvent<'ResultFinished'> | LedgerEvent<'ResultUpdated'>;

function evolve(state: TableResult, event: Later, names: Names): void {
  state.present = result.evolve(state.present, event) as PresentResult;
  setFailure(state, event, names);
}

/** The group of a failure, and whether somebody knew of it, as the histories of tests say it (`projections/history`). */
function setFailure(state: TableResult, event: Making | Later, names: Names): void {
  const { change, regrouped } = historyEvent(event);
  if (change !== undefined) {
    const { entry, group, test_id } = change;
    const failed = entry?.status === 'Failed' && group !== null;
    const known = failed ? names.known(test_id) : null;
    state.group = failed ? group.id : null;
    state.known = known !== null && covers(known, { ...entry!, at: event.meta.at });
  } else if (regrouped !== undefined && state.group !== null) {
    state.group = regrouped.group.id;
  } else if (state.present.status !== 'Failed') {
    state.group = null;
    state.known = false;
  }
}
