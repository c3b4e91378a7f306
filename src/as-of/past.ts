/** A project as it was at a position: what a question about the past needs, and nothing of other projects. */
import type { Position } from '../domain/event.js';
import type { Document } from '../domain/projection.js';
import type { Found, ViewQuery } from '../ports/views.js';

/** `at`: of an event of the log. With an event that items follow, all of them are part of it. */
export type Past = { team: string; project: string; at: Position; also: AlsoTests };

/** Tests without trouble that are asked for: one by its id, `all`, or none. Their histories cost most of a fold. */
export type AlsoTests = string | null;

/**
 * Reads the documents of the read models as they were. A past that is not in memory is folded first.
 * @throws AppError `as_of_too_large`, `overloaded`, `shutting_down`
 */
export type Pasts = {
  /** Folds it where it is not in memory. */
  open(past: Past): Promise<void>;
  /** Whether it is in memory. */
  has(past: Past): Promise<boolean>;
  get(from: FromPast, ids: readonly string[]): Promise<(Document | null)[]>;
  find(from: FromPast, query: ViewQuery): Promise<Found>;
};

/** A collection of a read model, as it was. */
export type FromPast = { past: Past; model: string; collection: string };

export function keyOfPast({ team, project, at, also }: Past): string {
  return `${team} ${project} ${at} ${also ?? ''}`;
}
