/** The life of a thing, which is a part of the state of every decider: not recorded yet, present or deleted. */
import { fail } from '../errors.js';

/** It is not recorded yet. */
export type None = { life: 'none' };
/** It is deleted, and its id is not used again. */
export type Gone = { life: 'gone' };
export type Present<T> = { life: 'present' } & T;

type Life = { life: 'none' | 'gone' | 'present' };

export const none: None = { life: 'none' };

/** Returns the state of a present thing. `name` is a word for the thing. @throws AppError `not_found`. */
export function mustBePresent<S extends Life>(state: S, name: string): Extract<S, { life: 'present' }> {
  return state.life === 'present' ? (state as Extract<S, { life: 'present' }>) : notFound(name);
}

/** @throws AppError `write_conflict` if something is recorded under the id. */
export function mustBeNone(state: Life, name: string): void {
  if (state.life !== 'none') fail('write_conflict', `The ${name} exists already.`);
}

/** @throws AppError `not_found`, always. */
export function notFound(name: string): never {
  return fail('not_found', `There is no such ${name}.`);
}
