/** The ids of the events of items. No event is stored for an item, so its id follows from its submission and its ordinal. */
import { createCipheriv, createHash } from 'node:crypto';
import type { StreamName } from '../domain/event.js';

/**
 * The UUIDs of `count` items from the ordinal `first` on: blocks of a key stream (RFC 9562, version 8). One call makes a
 * thousand. With one hash each, as in version 5, they would take longer than all else about an item.
 */
export function itemEventIds(stream: StreamName, first: number, count: number): string[] {
  const counter = Buffer.alloc(16);
  counter.writeUInt32BE(first, 12);
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(stream).digest(), counter);
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
