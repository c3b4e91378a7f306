/** Makes ids: prefixed and time-sortable for things, UUIDs for events. */
import { createCipheriv, createHash, randomUUID } from 'node:crypto';
import { fromUUID, typeidUnboxed } from 'typeid-js';
import { v5, v7 } from 'uuid';
import type { IdPrefix } from '../domain/ids.js';

/** The ids that one command uses. */
export type Ids = {
  /** The id of the one thing that the command creates. */
  created(prefix: IdPrefix): string;
  /** The UUID of the command's n-th event in a stream. */
  event(stream: string, n: number): string;
  /** As `event`, for thousands of them: `count` from the `first` on. Other UUIDs than those that `event` gives. */
  events(stream: string, first: number, count: number): string[];
};

/** New ones at every call. */
export const newIds: Ids = {
  created: (prefix) => typeidUnboxed(prefix),
  // Version 4: Node keeps random bytes ready for these, and the order of events is their position's.
  event: () => randomUUID(),
  events: (_stream, _first, count) => Array.from({ length: count }, () => randomUUID()),
};

/** The same at every try of one request: all follow from the UUID that was kept for it. */
export function idsFrom(seed: string): Ids {
  return {
    created: (prefix) => fromUUID(seed, prefix),
    event: (stream, n) => v5(`${stream}#${n}`, seed),
    events: (stream, first, count) => uuidsFrom(`${seed}/${stream}`, first, count),
  };
}

/**
 * UUIDs that follow from a name, by number: blocks of a key stream (RFC 9562, version 8). One call makes a thousand;
 * a hash for each, as version 5 has it, would hold up the thread that answers requests for 5 ms.
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
