/** The payload of a message, as every attempt sends it: `{ type, timestamp, data }`, of 20,000 bytes if it can be. */
import type { Instant } from '../../domain/event.js';
import type { MessageType } from '../../domain/message.js';
import { limits } from '../../limits.js';

/** Standard Webhooks 1.0 asks for less than 20 kB. */
const MOST_BYTES = limits.payloadBytes;

type Records = Record<string, unknown>;

/** Where that is too much, the `metadata` of its records is left out, the largest first, and named. */
export function render(type: MessageType, timestamp: Instant, data: object): string {
  const whole = JSON.stringify({ type, timestamp, data });
  if (fits(whole)) return whole;
  const left: Records = { ...data };
  const omitted: string[] = [];
  for (const name of largestFirst(left)) {
    left[name] = { ...(left[name] as Records), metadata: null };
    omitted.push(`/data/${name}/metadata`);
    const text = JSON.stringify({ type, timestamp, data: { ...left, metadata_omitted: omitted } });
    if (fits(text)) return text;
  }
  // Nothing more can be left out: the rest is names and a message of bounded length.
  return JSON.stringify({ type, timestamp, data: { ...left, metadata_omitted: omitted } });
}

/** The names of the records that have metadata. */
function largestFirst(data: Records): string[] {
  return Object.entries(data)
    .map(([name, record]) => ({ name, size: metadataSize(record) }))
    .filter(({ size }) => size > 0)
    .sort((one, other) => other.size - one.size)
    .map(({ name }) => name);
}

function metadataSize(record: unknown): number {
  if (typeof record !== 'object' || record === null) return 0;
  const { metadata } = record as { metadata?: unknown };
  return metadata == null ? 0 : byteLength(JSON.stringify(metadata));
}

function fits(text: string): boolean {
  // A unit of UTF-16 is at most three bytes of UTF-8.
  return text.length * 3 <= MOST_BYTES || byteLength(text) <= MOST_BYTES;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
