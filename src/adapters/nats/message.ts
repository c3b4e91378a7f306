/** A message as NATS carries it. */
import { isOutboxPosition, type Message } from '../../domain/message.js';

export function encode(message: Message): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Null for what is none of ours. */
export function decode(data: Uint8Array): Message | null {
  try {
    const message = JSON.parse(Buffer.from(data).toString()) as Partial<Message> | null;
    const { place, event_id, body } = message ?? {};
    const isOurs = isOutboxPosition(place) && typeof event_id === 'string' && typeof body === 'string';
    return isOurs ? (message as Message) : null;
  } catch {
    return null;
  }
}
