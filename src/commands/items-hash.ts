/** The hash of a shard's items, by which a shard that comes again is known. */
import { createHash } from 'node:crypto';
import type { SubmittedItem } from './submission.js';

export type ItemsHash = {
  add(item: SubmittedItem): void;
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
      waiting += `${canonicalItem(item)}\n`;
      if (waiting.length > CHUNK) flush();
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
 * The names of an item are put in order here. JSON.stringify writes texts and numbers as the standard asks, so only the
 * names of metadata are left to be sorted.
 */
function canonicalItem(item: SubmittedItem): string {
  const { attempt, finished_at, metadata, started_at } = item;
  const ended = finished_at === undefined ? '' : `"finished_at":${JSON.stringify(finished_at)},`;
  return (
    `{"attempt":${attempt},"error_message":${JSON.stringify(item.error_message)},` +
    `"execution_time_ms":${item.execution_time_ms},${ended}"metadata":${canonical(metadata)},` +
    `"started_at":${JSON.stringify(started_at)},"status":"${item.status}","test_name":${JSON.stringify(item.test_name)}}`
  );
}

/** A value that came as JSON, as canonical JSON. The package `canonicalize` takes three times as long. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`).join()}}`;
}
