/** A message: what a webhook says about one event. Its body is rendered when it is sent, with the same bytes each time. */
import type { Instant, Position } from '../event.js';
import type { MessageType } from './message-types.js';

/**
 * The place of a message in the outbox: the position of its event, `#`, and the order of its type among the messages of
 * that event, with its number where the event has several of the type. It sorts as text, in log order.
 */
export type OutboxPosition = string;

export type Message = {
  place: OutboxPosition;
  /** The event's UUID as a TypeID: the `webhook-id`, and the `id` of the same event in the replay. */
  event_id: string;
  type: MessageType;
  team_id: string;
  /** Messages of one subject keep their order: the test, group, run or project, for a ping the ping itself. */
  subject: string;
  /** When the event happened. */
  at: Instant;
  /** The ids of the webhooks that were subscribed and enabled at the event. */
  targets: readonly string[];
};

/** `body`: the payload of Standard Webhooks 1.0 as JSON, `{ type, timestamp, data }`. */
export type RenderedMessage = Message & { body: string };

/** The fields of the message alone, without those of its stored document. */
export function asMessage({ place, event_id, type, team_id, subject, at, targets }: Message): Message {
  return { place, event_id, type, team_id, subject, at, targets };
}

/** The place of an event's message. `order`: that of the message's type, one digit in base 36. `n`: of several of one type, beginning with 0. */
export function outboxPosition(position: Position, order: number, n = 0): OutboxPosition {
  const digit = order.toString(36);
  return n === 0 ? `${position}#${digit}` : `${position}#${digit}.${String(n).padStart(6, '0')}`;
}

/** Before all messages of events after a position. */
export function placeAfter(position: Position): OutboxPosition {
  // The digits of a place come after the sign.
  return `${position}#~`;
}

/** The position of the event that caused the message. */
export function eventPositionOf(place: OutboxPosition): Position {
  return place.slice(0, place.indexOf('#'));
}
