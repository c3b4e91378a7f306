/** Makes ids: prefixed and time-sortable for things, UUIDs for events. */
import { randomUUID } from 'node:crypto';
import { fromUUID, typeidUnboxed } from 'typeid-js';
import { v5, v7 } from 'uuid';
import type { IdPrefix } from '../domain/ids.js';

/** The ids that one command uses. */
export type Ids = {
  /** The id of the one thing that the command creates. */
  created(prefix: IdPrefix): string;
  /** The UUID of the command's n-th event in a stream. */
  event(stream: string, n: number): string;
};

/** New ones at every call. */
export const newIds: Ids = {
  created: (prefix) => typeidUnboxed(prefix),
  // Version 4: Node keeps random bytes ready for these, and the order of events is their position's.
  event: () => randomUUID(),
};

/** The same at every try of one request: all follow from the UUID that was kept for it. */
export function idsFrom(seed: string): Ids {
  return {
    created: (prefix) => fromUUID(seed, prefix),
    event: (stream, n) => v5(`${stream}#${n}`, seed),
  };
}

export const newSeed: () => string = v7;
