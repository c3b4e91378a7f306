/** Data of large events, mostly chunks of items, are stored deflated: they become five to ten times smaller. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Smaller events are stored as deltas. */
const LEAST_CHARACTERS = 4_096;

/** What to store for a text: the columns `text_bytes` and `data`. The fastest level, because other appends wait. */
export function stored(text: string): [number | null, string | Uint8Array] {
  if (text.length < LEAST_CHARACTERS) return [null, text];
  const bytes = Buffer.from(text);
  return [bytes.length, deflateRawSync(bytes, { level: 1 })];
}

/** @throws SyntaxError for a damaged row */
export function textOf(data: string | Uint8Array): string {
  if (typeof data === 'string') return data;
  try {
    return inflateRawSync(data).toString();
  } catch (cause) {
    throw new SyntaxError('the data of an event cannot be inflated', { cause });
  }
}
