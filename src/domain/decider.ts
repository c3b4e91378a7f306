/** The shape of a decider: pure, without clock, id maker, HTTP or database. */
import type { Instant, Position } from './event.js';
import type { EventType, Fact } from './events.js';

export type Decider<State, Command, Types extends EventType> = {
  initial: State;
  /** What happens; empty where nothing does. @throws LedgerError where the command is refused. */
  decide(command: Command, state: State): Fact<Types>[];
  /** A fact that it does not know changes nothing. */
  evolve(state: State, event: Happened<Types>): State;
};

/** `position`: of one that is in the log; where it was appended with others, that of the last of them will do. */
export type Happened<Types extends EventType> = Fact<Types> & {
  meta: { at: Instant };
  position?: Position;
};

/** The fields of `wanted` that are given and differ from `present`. */
export function differences<T extends object>(
  present: Required<T>,
  wanted: T,
  same: Same = Object.is,
): Partial<T> {
  const changed: Partial<T> = {};
  for (const name of Object.keys(wanted) as (keyof T)[]) {
    if (wanted[name] !== undefined && !same(wanted[name], present[name])) changed[name] = wanted[name];
  }
  return changed;
}

type Same = (a: unknown, b: unknown) => boolean;
