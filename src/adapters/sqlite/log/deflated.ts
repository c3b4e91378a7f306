/** Data of large events, mostly chunks of items, are stored deflated: they become five to ten times smaller. */
import { deflated, inflated } from '../deflate.js';

/** Smaller events are stored as deltas. */
const LEAST_CHARACTERS = 4_096;

/** What to store for a text: the columns `text_bytes` and `data`. */
export function stored(text: string): [number | null, string | Uint8Array] {
  if (text.length < LEAST_CHARACTERS) return [null, text];
  const bytes = Buffer.from(text);
  return [bytes.length, deflated(bytes)];
}

/** @throws SyntaxError for a damaged row */
export function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : inflated(data);
}
