/** The form of the deciders' tests: given a history, when a command is sent, then these events happen. */
import { expect } from 'chai';
import type { Decider } from '../../src/domain/decider.js';
import type { Instant } from '../../src/domain/event.js';
import type { EventType, Fact } from '../../src/domain/events.js';
import { isAppError, type ErrorCode, type AppError } from '../../src/errors.js';

/** The instant of each event without one of its own. */
export const EARLIER: Instant = '2026-11-21T10:00:00.000Z';
/** The instant of each command without one of its own. */
export const NOW: Instant = '2026-11-21T12:00:00.000Z';

export type Happened<T extends EventType> = Fact<T> & { at?: Instant };

export type Given<S, C, T extends EventType> = {
  state(): S;
  when(command: C): When<S, T>;
};

export type When<S, T extends EventType> = {
  /** Expects exactly these events, in this order. */
  happens(...facts: readonly [Fact<T>, ...Fact<T>[]]): void;
  nothingHappens(): void;
  /** Expects these fields of the state to change, and all others to stay. */
  changes(changed: Partial<Present<S>>): void;
  refused(code: ErrorCode, ...fields: string[]): void;
};

/** The states of a thing that is present. */
type Present<S> = Exclude<S, { life: 'none' | 'gone' }>;

export function specification<S extends object, C, T extends EventType>(decider: Decider<S, C, T>) {
  return function given(...history: Happened<T>[]): Given<S, C, T> {
    const state = () => fold(decider, history);
    return {
      state,
      when: (command) => ({
        happens: (...facts) => void expect(decider.decide(command, state()).map(named)).to.deep.equal(facts),
        nothingHappens: () => void expect(decider.decide(command, state())).to.deep.equal([]),
        changes(changed) {
          const facts = decider.decide(command, state());
          const after = fold(decider, [...history, ...facts.map((fact) => ({ ...fact, at: NOW }))]);
          expect(recorded(after)).to.deep.equal({ ...recorded(state()), ...changed });
        },
        refused(code, ...fields) {
          const error = refusalOf(() => decider.decide(command, state()));
          expect(error.code).to.equal(code);
          expect(error.fields.map((field) => `${field.pointer} ${field.code}`)).to.deep.equal(fields);
        },
      }),
    };
  };
}

/** Without what a result keeps for the history of its test, which `test-history/result-change.test.ts` tests. */
function recorded<S extends object>(state: S): object {
  const { context: _, ...rest } = state as S & { context?: unknown };
  return rest;
}

/** Without what goes beside the data: that has tests of its own. */
function named<T extends EventType>({ type, data }: Fact<T>) {
  return { type, data };
}

/** Returns the state after a history. */
export function fold<S, C, T extends EventType>(
  decider: Decider<S, C, T>,
  history: readonly Happened<T>[],
): S {
  return history.reduce(
    (state, { at = EARLIER, ...fact }) =>
      decider.evolve(state, { ...(fact as unknown as Fact<T>), meta: { at } }),
    decider.initial,
  );
}

/** Expects a refusal, and returns it. */
export function refusalOf(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  return expect.fail('the command was not refused');
}
