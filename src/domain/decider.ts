/** The shape of a decider. It is pure: it has no clock, makes no ids and knows neither HTTP nor a database. */
import type { EventMeta, Instant, Position } from './event.js';
import type { EventType, Fact } from './events.js';

export type Decider<State, Command, Types extends EventType> = {
  /** The state before the first event. */
  initial: State;
  /** Returns what happens; an empty list if the command changes nothing. @throws AppError to refuse the command. */
  decide(command: Command, state: State): Fact<Types>[];
  /** Returns the state after an event. An event of another decider changes nothing. */
  evolve(state: State, event: Happened<Types>): State;
  /**
   * Bounds the events of one stream, because every reader folds all of them. A stream without this field has another
   * bound. `isExempt`: the command is taken all the same. It must change a full stream a few times at most.
   */
  most?: { events: number; isExempt(command: Command, state: State): boolean };
};

/**
 * A fact with its instant, and with its actor where that is known. `position` is set once the fact is in the log. Facts of
 * one append may all carry the position of the last one.
 */
export type Happened<Types extends EventType> = Fact<Types> & {
  meta: { at: Instant; actor?: string; facts?: EventMeta['facts'] };
  position?: Position;
};

/** Returns the fields of `wanted` that are set and differ from those of `present`. */
export function differences<T extends object>(
  present: Required<T>,
  wanted: T,
  same: (a: unknown, b: unknown) => boolean = Object.is,
): Partial<T> {
  const changed: Partial<T> = {};
  for (const name of Object.keys(wanted) as (keyof T)[]) {
    if (wanted[name] !== undefined && !same(wanted[name], present[name])) changed[name] = wanted[name];
  }
  return changed;
}
