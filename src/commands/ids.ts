/** Makes ids: with a prefix and sortable by time for things, UUIDs for events. */
import { createHash, randomUUID } from 'node:crypto';
import { fromUUID, typeidUnboxed } from 'typeid-js';
import { v5, v7 } from 'uuid';
import type { IdPrefix } from '../domain/ids.js';

/** The ids that one command uses. */
export type CommandIds = {
  /** Returns the id of the n-th thing that the command creates: that of the only one without a number. */
  created(prefix: IdPrefix, n?: number): string;
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
    created: (prefix, n = 0) => fromUUID(n === 0 ? seed : uuidOfNth(seed, n), prefix),
    event: (stream, n) => v5(`${stream}#${n}`, seed),
  };
}

/** Returns a UUID of the instant of the seed, a version 7, so that ids of things sort by time. */
function uuidOfNth(seed: string, n: number): string {
  const msecs = Number.parseInt(seed.slice(0, 8) + seed.slice(9, 13), 16);
  return v7({ msecs, seq: n, random: createHash('sha256').update(`${seed}+${n}`).digest() });
}

export const newSeed: () => string = v7;
