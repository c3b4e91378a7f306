/** The sugar that the projections are written in: for each event type, the documents it touches and the fold. */
import type { DocumentRef, Documents, Projection, ProjectionSpec } from '../src/domain/projection.js';
import type { Position } from '../src/domain/event.js';
import type { EventType, LedgerEvent } from '../src/domain/events.js';

export type Handler<T extends EventType> = {
  /** Every document that `apply` gets, puts or removes. */
  touches(event: LedgerEvent<T>): readonly DocumentRef[];
  apply(documents: Documents, event: LedgerEvent<T>): void;
};

export type Handlers = { [T in EventType]?: Handler<T> };

export function projection(spec: ProjectionSpec & { on: Handlers }): Projection {
  const { on, ...rest } = spec;
  // One cast for the whole table: TypeScript does not see that the handler under a type takes its events.
  const handlers = on as Partial<Record<string, Handler<EventType>>>;
  return {
    ...rest,
    touches: (event) => handlers[event.type]?.touches(event) ?? [],
    apply: (documents, event) => handlers[event.type]?.apply(documents, event),
  };
}

/**
 * Several read models as one projection: one pass, one commit a batch, one position that a GET waits for.
 * Its version is theirs side by side, three digits each: no two sets of versions give the same.
 */
export function together(name: string, parts: readonly Projection[]): Projection {
  return {
    name,
    version: parts.reduce((versions, { version }) => versions * 1_000 + version, 0),
    collections: parts.flatMap(({ collections }) => collections),
    touches: (event) => parts.flatMap((part) => part.touches(event)),
    apply: (documents, event) => parts.forEach((part) => part.apply(documents, event)),
  };
}

/** The fields that a document takes from the event that created it: its team, and its place in every list. */
export function createdBy(event: LedgerEvent): { team_id: string; created_position: Position } {
  return { team_id: event.meta.team_id, created_position: event.position };
}
