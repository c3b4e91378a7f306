/** Makes ids: with a prefix and sortable by time for things, UUIDs for events. */
import { randomUUID } from 'node:crypto';
import { fromUUID, typeidUnboxed } from 'typeid-js';
import { v5, v7 } from 'uuid';
import type { IdPrefix } from '../domain/ids.js';

/** The ids that one command uses. */
export type CommandIds = {
  /** Returns the id of the one thing that the command creates. */
  created(prefix: IdPrefix): string;
  /** Returns the UUID of the command's n-th event in a stream. */
  event(stream: string, n: number): string;
};

/** Makes new ids at every call. */
export const newIds: CommandIds = {
  created: (prefix) => typeidUnboxed(prefix),
  // Version 4: Node keeps random bytes ready for it, and events are ordered by position, not by id.
  event: () => randomUUID(),
};

/** Makes the same ids at every try of one request: all follow from the UUID that is stored for the request. */
export function idsFrom(seed: string): CommandIds {
  return {
    created: (prefix) => fromUUID(seed, prefix),
    event: (stream, n) => v5(`${stream}#${n}`, seed),
  };
}

export const newSeed: () => string = v7;
