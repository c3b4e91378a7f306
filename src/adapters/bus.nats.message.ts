/** A message as NATS carries it. */
import type { Sent } from '../core/ports.js';

export function encode(message: Sent): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Null for what is none of ours. */
export function decode(data: Uint8Array): Sent | null {
  try {
    const message = JSON.parse(Buffer.from(data).toString()) as Partial<Sent> | null;
    const texts = [message?.place, message?.after, message?.event_id, message?.body];
    return texts.every((text) => typeof text === 'string') ? (message as Sent) : null;
  } catch {
    return null;
  }
}
