/** What webhooks are told: one event, rendered once. Every attempt to tell it sends the same bytes. */
import { isPosition, type Instant, type Position } from './event.js';

export const messageTypes = [
  'test.failed',
  'test.recovered',
  'test.flaky',
  'run.completed',
  'webhook.ping',
] as const;
export type MessageType = (typeof messageTypes)[number];

/**
 * Where a message stands among all: the position of the event that caused it, `#`, and its number among those of that
 * event. Sorts as text, in log order.
 */
export type OutboxPosition = string;

export type Message = {
  place: OutboxPosition;
  /** The TypeID form of the event's UUID: the `webhook-id`, and the `id` of the same event in the replay. */
  event_id: string;
  type: MessageType;
  team_id: string;
  /** What order is kept for: the test; of `run.completed` the run; of a ping nothing but itself. */
  subject: string;
  /** When the event happened. */
  at: Instant;
  /** Ids of the webhooks that were registered for it, and enabled, where it happened. */
  targets: readonly string[];
  /** The payload as Standard Webhooks 1.0 has it, `{ type, timestamp, data }`, as JSON. */
  body: string;
};

/** The n-th message of the event at a position. */
export function outboxPosition(position: Position, n: number): OutboxPosition {
  return `${position}#${n}`;
}

/** Whether anything is one: what comes from outside may be anything. */
export function isOutboxPosition(value: unknown): value is OutboxPosition {
  if (typeof value !== 'string') return false;
  const [position = '', n = ''] = value.split('#', 2);
  return isPosition(position) && value === `${position}#${n}` && /^\d+$/.test(n);
}

/** The position of the event that caused the message there. */
export function eventPositionOf(place: OutboxPosition): Position {
  return place.slice(0, place.indexOf('#'));
}
