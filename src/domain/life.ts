/** The life of a thing, which is a part of the state of every decider: not recorded yet, present or deleted. */
import { fail } from '../errors.js';

/** It is not recorded yet. */
export type None = { life: 'none' };
/** It is deleted, and its id is not used again. `purged`: with all that was in it, or that it was in. */
export type Gone = { life: 'gone'; purged?: true };
export type Present<T> = { life: 'present' } & T;

type Life = { life: 'none' | 'gone' | 'present'; purged?: true };

export const none: None = { life: 'none' };
export const purged: Gone = { life: 'gone', purged: true };

/** Returns the state of a present thing. `name` is a word for the thing. @throws AppError `not_found`. */
export function mustBePresent<S extends Life>(state: S, name: string): Extract<S, { life: 'present' }> {
  if (state.life === 'present') return state as Extract<S, { life: 'present' }>;
  return state.purged ? fail('not_found', `The ${name} was deleted for good.`) : notFound(name);
}

/** @throws AppError `write_conflict` if something is recorded under the id. */
export function mustBeNone(state: Life, name: string): void {
  if (state.life !== 'none') fail('write_conflict', `The ${name} exists already.`);
}

/** @throws AppError `not_found`, always. */
export function notFound(name: string): never {
  return fail('not_found', `There is no such ${name}.`);
}
