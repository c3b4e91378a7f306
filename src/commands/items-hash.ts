/** The hash of a shard's items, by which a shard that comes again is known. */
import { createHash } from 'node:crypto';
import type { SubmittedItem } from './submission.js';

export type ItemsHash = {
  /** Returns the item as JSON, with the names of its metadata as they were sent: it is made anyway. */
  add(item: SubmittedItem): string;
  /** The SHA-256 of all items in their order, in hexadecimal digits. */
  digest(): string;
};

/**
 * Each item is hashed as canonical JSON (RFC 8785), so the order of names in metadata does not count: a client may send
 * it anew in another order.
 */
export function itemsHash(): ItemsHash {
  const hash = createHash('sha256');
  // Each call of the hash costs more than an item, so they are joined.
  let waiting = '';
  const flush = () => {
    hash.update(waiting);
    waiting = '';
  };
  return {
    add(item) {
      const { sent, canonical } = itemJson(item);
      waiting += canonical;
      waiting += '\n';
      if (waiting.length > CHUNK) flush();
      return sent;
    },
    digest() {
      flush();
      return hash.digest('hex');
    },
  };
}

/** In UTF-16 code units. */
const CHUNK = 64 * 1024;

/**
 * An item as JSON, with its metadata as they were sent, and in canonical form. Most items have no metadata: then both
 * are one text. The names of an item are put in order here. JSON.stringify writes texts and numbers as the standard
 * asks, so only the names of metadata are left to be sorted.
 */
function itemJson(item: SubmittedItem): { sent: string; canonical: string } {
  const { attempt, error_message, finished_at, metadata, started_at } = item;
  const ended = finished_at === undefined ? '' : `"finished_at":${instantJson(finished_at)},`;
  const before =
    `{"attempt":${attempt},"error_message":${error_message === null ? 'null' : JSON.stringify(error_message)},` +
    `"execution_time_ms":${item.execution_time_ms},${ended}"metadata":`;
  const after =
    `,"started_at":${instantJson(started_at)},"status":"${item.status}",` +
    `"test_name":${JSON.stringify(item.test_name)}}`;
  const sent = before + (metadata === null ? 'null' : JSON.stringify(metadata)) + after;
  return { sent, canonical: metadata === null ? sent : before + canonical(metadata) + after };
}

/** Instants need no escapes. */
function instantJson(instant: string | null): string {
  return instant === null ? 'null' : `"${instant}"`;
}

/** A value that came as JSON, as canonical JSON. The package `canonicalize` takes three times as long. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`).join()}}`;
}
