/** The form in which projections are written: for each event type, the documents that it touches and the fold. */
import type {
  DocumentRef,
  Documents,
  Projection,
  ProjectionSpec,
  ReadableDocuments,
} from '../src/domain/projection.js';
import type { Position } from '../src/domain/event.js';
import type { EventType, LedgerEvent } from '../src/domain/events.js';
import type { ChunkEvent } from '../src/domain/runs/item-chunk.js';

type HandlerOf<E> = {
  /** Every document that `apply` gets, puts, changes or removes, except those of `follows`. */
  touches(event: E): readonly DocumentRef[];
  /** As `Fold.follows`. */
  follows?(documents: ReadableDocuments, event: E): Iterable<readonly DocumentRef[]> | null;
  apply(documents: Documents, event: E): void;
};

/** `Extra`: the fields that a projection derives for the events before its fold. */
export type Handler<T extends EventType, Extra = unknown> = HandlerOf<LedgerEvent<T> & Extra>;

/** A projection takes the items of a submission either by chunks or, after a stage that expands them, one by one. */
export type Handlers<Extra = unknown> = { [T in EventType]?: Handler<T, Extra> } & {
  ResultsSubmitted?: HandlerOf<ChunkEvent>;
};

/** One handler for all events that make, change or delete a result. */
export function ofResults<Extra>(handler: Handler<EventType, Extra>): Handlers<Extra> {
  return {
    ResultCreated: handler,
    ResultSubmitted: handler,
    ResultStarted: handler,
    ResultFinished: handler,
    ResultUpdated: handler,
    ResultDeleted: handler,
  };
}

export function projection<Extra = unknown>(
  spec: ProjectionSpec & { on: Handlers<Extra>; takesPurged?: boolean },
): Projection<LedgerEvent & Extra> {
  const { on, ...rest } = spec;
  // One cast for the whole table: TypeScript does not see that the handler of a type takes events of that type.
  const handlers = on as Partial<Record<string, Handler<EventType, Extra>>>;
  return {
    ...rest,
    touches: (event) => handlers[event.type]?.touches(event) ?? [],
    follows: (documents, event) => handlers[event.type]?.follows?.(documents, event) ?? null,
    apply: (documents, event) => handlers[event.type]?.apply(documents, event),
  };
}

/**
 * Several read models as one projection: one pass over the events, one commit for each batch, the same checkpoints. Each part
 * sees an event after the parts before it. The version is the sum of the parts' versions, so it rises with each of them.
 */
export function together<E extends LedgerEvent = LedgerEvent>(
  name: string,
  parts: readonly Projection<E>[],
): Projection<E> {
  return {
    name,
    version: parts.reduce((sum, { version }) => sum + version, 0),
    collections: parts.flatMap(({ collections }) => collections),
    parts,
    touches: (event) => parts.flatMap((part) => part.touches(event)),
    apply: (documents, event) => parts.forEach((part) => part.apply(documents, event)),
  };
}

/** The fields that a document takes from the event that created it: its team, and its place in every list. */
export function createdBy(event: LedgerEvent): { team_id: string; created_position: Position } {
  return { team_id: event.meta.team_id, created_position: event.position };
}
