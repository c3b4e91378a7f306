/** Makes ids: with a prefix and sortable by time for things, UUIDs for events. */
import { createCipheriv, createHash, randomUUID } from 'node:crypto';
import { fromUUID, typeidUnboxed } from 'typeid-js';
import { v5, v7 } from 'uuid';
import type { IdPrefix } from '../domain/ids.js';

/** The ids that one command uses. */
export type CommandIds = {
  /** Returns the id of the n-th thing that the command creates: that of the only one without a number. */
  created(prefix: IdPrefix, n?: number): string;
  /** Returns the UUID of the command's n-th event in a stream. */
  event(stream: string, n: number): string;
  /** Returns `count` UUIDs from number `first` on, for thousands of events. They differ from those of `event`. */
  events(stream: string, first: number, count: number): string[];
};

/** Makes new ids at every call. */
export const newIds: CommandIds = {
  created: (prefix) => typeidUnboxed(prefix),
  // Version 4: Node keeps random bytes ready for it, and events are ordered by position, not by id.
  event: () => randomUUID(),
  events: (_stream, _first, count) => Array.from({ length: count }, () => randomUUID()),
};

/** Makes the same ids at every try of one request: all follow from the UUID that is stored for the request. */
export function idsFrom(seed: string): CommandIds {
  return {
    created: (prefix, n = 0) => fromUUID(n === 0 ? seed : uuidOfNth(seed, n), prefix),
    event: (stream, n) => v5(`${stream}#${n}`, seed),
    events: (stream, first, count) => uuidsFrom(`${seed}/${stream}`, first, count),
  };
}

/** Returns a UUID of the instant of the seed, a version 7, so that ids of things sort by time. */
function uuidOfNth(seed: string, n: number): string {
  const msecs = Number.parseInt(seed.slice(0, 8) + seed.slice(9, 13), 16);
  return v7({ msecs, seq: n, random: createHash('sha256').update(`${seed}+${n}`).digest() });
}

/**
 * Returns the UUIDs of a name by number: blocks of a key stream (RFC 9562, version 8). One call makes a thousand. With
 * one hash each, as in version 5, it would block the thread that answers requests for 5 ms.
 */
function uuidsFrom(name: string, first: number, count: number): string[] {
  const counter = Buffer.alloc(16);
  counter.writeUInt32BE(first, 12);
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(name).digest(), counter);
  const bytes = cipher.update(Buffer.alloc(16 * count));
  for (let at = 0; at < bytes.length; at += 16) {
    bytes[at + 6] = (bytes[at + 6]! & 0x0f) | 0x80;
    bytes[at + 8] = (bytes[at + 8]! & 0x3f) | 0x80;
  }
  const hex = bytes.toString('hex');
  return Array.from({ length: count }, (_, n) => {
    const at = 32 * n;
    const part = (from: number, to: number) => hex.slice(at + from, at + to);
    return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
  });
}

export const newSeed: () => string = v7;
